import type { WrittenTransport } from '@toolyard/mcp-host/node';
import type { McpSecretValue, McpTransport } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';

/** A value that says only where a secret is, perhaps behind the name of a scheme. */
const ONLY_A_REFERENCE = /^(?:(?:Bearer|Basic|Token|ApiKey) +)?(?:\$\{(?:env|input):[^}]+\})$/i;

/** A transport for an editor: what may be a secret is not told. */
export function withoutSecrets(written: WrittenTransport): McpTransport {
  if (written.type === 'stdio') {
    const { env, ...rest } = written;
    return env === undefined ? rest : { ...rest, env: masked(env) };
  }
  if (written.type === 'hosted') return { ...written, apiKey: maskedValue(written.apiKey) };
  const { headers, ...rest } = written;
  return headers === undefined ? rest : { ...rest, headers: masked(headers) };
}

function masked(values: Record<string, string>): Record<string, McpSecretValue> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, maskedValue(value)]));
}

function maskedValue(value: string): McpSecretValue {
  return ONLY_A_REFERENCE.test(value) ? value : { secret: true };
}

/**
 * A transport as it came from an editor, with what is stored in the place of the secrets that were not told.
 *
 * @throws ToolyardError `bad_request` for a secret of which nothing is stored
 */
export function withSecrets(given: McpTransport, stored: WrittenTransport | undefined): WrittenTransport {
  if (given.type === 'stdio') {
    const { env, sandbox, ...others } = given;
    const rest = { ...others, ...(sandbox === undefined ? {} : { sandbox: sandbox === true ? {} : sandbox }) };
    const known = stored?.type === 'stdio' ? stored.env : undefined;
    return env === undefined ? rest : { ...rest, env: filled(env, known) };
  }
  // To another origin a stored secret does not go along: whoever asks would learn it there.
  if (given.type === 'hosted') {
    const { apiKey, ...rest } = given;
    const isSame = stored?.type === 'hosted' && sameOrigin(stored.url ?? '', given.url ?? '');
    return { ...rest, ...filledKey(apiKey, isSame ? { apiKey: stored.apiKey } : {}) };
  }
  const { headers, ...rest } = given;
  const isWeb = stored !== undefined && stored.type !== 'stdio' && stored.type !== 'hosted';
  const known = isWeb && sameOrigin(stored.url, given.url) ? stored.headers : {};
  return headers === undefined ? rest : { ...rest, headers: filled(headers, known) };
}

function filledKey(apiKey: McpSecretValue, known: Record<string, string>): { apiKey: string } {
  return { apiKey: filled({ apiKey }, known)['apiKey'] ?? '' };
}

function filled(values: Record<string, McpSecretValue>, known: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (typeof value === 'string') return [name, value];
      const secret = Object.hasOwn(known, name) ? known[name] : undefined;
      if (secret !== undefined) return [name, secret];
      throw new ToolyardError({
        code: 'bad_request',
        message: `Nothing is stored for "${name}" at this address.`,
        hint: 'Give its value, or write ${env:NAME} and set that variable where Toolyard is started.',
      });
    }),
  );
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) ? new URL(one).origin === new URL(other).origin : one === other;
}

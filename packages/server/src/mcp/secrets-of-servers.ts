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
  const { headers, ...rest } = written;
  return headers === undefined ? rest : { ...rest, headers: masked(headers) };
}

function masked(values: Record<string, string>): Record<string, McpSecretValue> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, ONLY_A_REFERENCE.test(value) ? value : { secret: true }]),
  );
}

/**
 * A transport as it came from an editor, with what is stored in the place of the secrets that were not told.
 *
 * @throws ToolyardError `bad_request` for a secret of which nothing is stored
 */
export function withSecrets(given: McpTransport, stored: WrittenTransport | undefined): WrittenTransport {
  if (given.type === 'stdio') {
    const { env, ...rest } = given;
    const known = stored?.type === 'stdio' ? stored.env : undefined;
    return env === undefined ? rest : { ...rest, env: filled(env, known) };
  }
  const { headers, ...rest } = given;
  // To another origin a stored secret does not go along: whoever asks would learn it there.
  const known =
    stored !== undefined && stored.type !== 'stdio' && sameOrigin(stored.url, given.url) ? stored.headers : {};
  return headers === undefined ? rest : { ...rest, headers: filled(headers, known) };
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

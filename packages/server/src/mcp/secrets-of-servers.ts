import type { WrittenTransport } from '@toolyard/mcp-host/node';
import type { McpSecretValue, McpTransport } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import { createInvalidError } from '../errors.ts';

/** A value that only references a secret, optionally with an authentication scheme. */
const ONLY_A_REFERENCE = /^(?:(?:Bearer|Basic|Token|ApiKey) +)?(?:\$\{(?:env|input):[^}]+\})$/i;

/** A transport for an editor, without possible secrets. */
export function withoutSecrets(written: WrittenTransport): McpTransport {
  if (written.type === 'stdio') {
    const { env, ...rest } = written;
    return env === undefined ? rest : { ...rest, env: masked(env) };
  }
  if (written.type === 'hosted') return { ...written, apiKey: maskedValue(written.apiKey) };
  if (written.type === 'plugin') {
    const { settings, ...rest } = written;
    return settings === undefined ? rest : { ...rest, settings: masked(settings) };
  }
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
 * A transport from an editor, with stored values in place of omitted secrets.
 *
 * @throws ToolyardError `bad_request` for an omitted secret without a stored value
 */
export function withSecrets(transport: McpTransport, stored: WrittenTransport | undefined): WrittenTransport {
  if (transport.type === 'stdio') {
    const { env, sandbox, ...others } = transport;
    const rest = { ...others, ...(sandbox === undefined ? {} : { sandbox: sandbox === true ? {} : sandbox }) };
    const known = stored?.type === 'stdio' ? stored.env : undefined;
    return env === undefined ? rest : { ...rest, env: filled(env, known) };
  }
  // A stored secret is not sent to another origin, where the caller could read it.
  if (transport.type === 'hosted') {
    const { apiKey, ...rest } = transport;
    const isSame = stored?.type === 'hosted' && sameOrigin(stored.url ?? '', transport.url ?? '');
    return { ...rest, ...filledKey(apiKey, isSame ? { apiKey: stored.apiKey } : {}) };
  }
  if (transport.type === 'plugin') {
    const { settings, ...rest } = transport;
    const isSame =
      stored?.type === 'plugin' &&
      sameOrigin(stored.url, transport.url) &&
      sameOrigin(stored.gateway ?? '', transport.gateway ?? '');
    return settings === undefined ? rest : { ...rest, settings: filled(settings, isSame ? stored.settings : {}) };
  }
  const { headers, ...rest } = transport;
  const known = findHeaders(stored, transport.url);
  return headers === undefined ? rest : { ...rest, headers: filled(headers, known) };
}

function findHeaders(stored: WrittenTransport | undefined, url: string): Record<string, string> | undefined {
  switch (stored?.type) {
    case 'http':
    case 'sse':
    case 'websocket':
      return sameOrigin(stored.url, url) ? stored.headers : {};
    default:
      return {};
  }
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
      throw createInvalidError(
        say`No value is stored for "${name}" at this URL.`,
        say`Enter its value, or use \${env:NAME} and set that variable in the environment of the server.`,
      );
    }),
  );
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) ? new URL(one).origin === new URL(other).origin : one === other;
}

import type { ServerConfig } from '@toolyard/mcp-host';
import type { McpServerView } from '@toolyard/protocol';

/** Shorter values are too common to be looked for in texts. */
const SHORTEST_SECRET = 6;
const HIDDEN = '•••';
/** An option whose value is nobody's business, as in `--api-key x` or `--token=x`. */
const SECRET_OPTION = /^--?[\w-]*(key|token|secret|passw|auth|credential)[\w-]*(=|$)/i;
/** A step of a path that is no word: some services put the key into the path. */
const OPAQUE_STEP = /^(?=.*\d)[A-Za-z0-9_~=+-]{20,}$/;

/** How a server is reached, for people: no arguments, no environment, no headers, nothing of an address that may be a key. */
export function shownTransport({ transport }: ServerConfig): McpServerView['transport'] {
  if (transport.type === 'stdio') {
    return { type: 'stdio', command: transport.command.split(/[\\/]/).at(-1) ?? transport.command };
  }
  if (transport.type === 'in-memory') return { type: 'stdio', command: transport.name };
  const url = URL.canParse(transport.url) ? new URL(transport.url) : null;
  if (url === null) return { type: 'http', url: '' };
  const steps = url.pathname.split('/').map((step) => (OPAQUE_STEP.test(step) ? HIDDEN : step));
  return { type: 'http', url: `${url.protocol}//${url.host}${steps.join('/')}` };
}

/** Makes a function that takes the secrets of a server's configuration out of what it printed or answered. */
export function redactorFor(config: ServerConfig): (text: string) => string {
  const secrets = secretsOf(config)
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);
}

function secretsOf({ transport }: ServerConfig): string[] {
  if (transport.type === 'stdio') {
    const { args = [], env = {} } = transport;
    const ofOptions = args.flatMap((arg, at) => {
      if (SECRET_OPTION.test(args[at - 1] ?? '') && !args[at - 1]?.includes('=')) return [arg];
      return SECRET_OPTION.test(arg) && arg.includes('=') ? [arg.slice(arg.indexOf('=') + 1)] : [];
    });
    return [...ofOptions, ...Object.values(env)];
  }
  if (transport.type === 'in-memory') return [];
  const values = Object.values(transport.headers ?? {});
  const ofHeaders = [...values, ...values.map((value) => value.replace(/^\S+ /, ''))];
  if (!URL.canParse(transport.url)) return ofHeaders;
  const { username, password, pathname, searchParams, search } = new URL(transport.url);
  const ofPath = pathname.split('/').filter((step) => OPAQUE_STEP.test(step));
  return [...ofHeaders, username, password, search, ...searchParams.values(), ...ofPath];
}

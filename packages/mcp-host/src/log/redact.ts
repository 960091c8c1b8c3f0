import type { OAuthSettings } from '../oauth/oauth-settings.ts';
import { secretsOfSettings } from '../oauth/oauth-settings.ts';
import type { TransportConfig } from '../types.ts';
import { readUrl } from '../values/read-url.ts';

/** Replaces a secret. */
export const REDACTED = '•••';

/** Shorter values are too common to be searched for. */
const SHORTEST_SECRET = 6;
/** An option with a secret value, as in `--api-key x` or `--token=x`. */
const SECRET_OPTION = /^--?[\w-]*(key|token|secret|passw|auth|credential)[\w-]*(=|$)/i;
/** A path segment that is not a word: some services put the key into the path. */
const OPAQUE_STEP = /^(?=.*\d)[A-Za-z0-9_~=+-]{20,}$/;

/** A URL for display, without parts that may be secret; empty if it is invalid. */
export function displayUrl(address: string): string {
  const url = readUrl(address);
  if (url === null) return '';
  const steps = url.pathname.split('/').map((step) => (OPAQUE_STEP.test(step) ? REDACTED : step));
  return `${url.protocol}//${url.host}${steps.join('/')}`;
}

/** `NAME=value` or `Name: value` whose name announces a secret, as in `-e API_KEY=x` or `--header Authorization:x`. */
const SECRET_PAIR = /^([\w-]*(?:key|token|secret|passw|auth|credential)[\w-]*\s*[=:]\s*)(?=\S)/i;
/** Nothing but references to variables, perhaps after the scheme of a credential. */
const REFERENCES = /^(?:(?:Bearer|Basic|Token)\s+)?(?:\$\{[^}]*\})+$/i;

/** The arguments of a command as written in its entry, without values that may be secret. */
export function displayArguments(args: readonly string[]): string[] {
  return args.map((arg, at) => {
    const before = args[at - 1] ?? '';
    if (SECRET_OPTION.test(before) && !before.includes('=')) return hidden(arg);
    const name = SECRET_OPTION.test(arg) ? /^[^=]*=/.exec(arg)?.[0] : SECRET_PAIR.exec(arg)?.[1];
    if (name !== undefined) return name + hidden(arg.slice(name.length));
    if (!arg.startsWith('-') && OPAQUE_STEP.test(arg)) return REDACTED;
    return displayUrlInside(arg);
  });
}

function hidden(value: string): string {
  return REFERENCES.test(value) ? value : REDACTED;
}

/** A URL keeps its scheme, host and path: user names, passwords and queries may be secret. */
function displayUrlInside(arg: string): string {
  const from = arg.search(/[a-z][a-z\d+.-]*:\/\//i);
  const url = from === -1 ? null : readUrl(arg.slice(from));
  if (url === null || (url.username === '' && url.password === '' && url.search === '')) return arg;
  const user = url.username === '' && url.password === '' ? '' : `${REDACTED}@`;
  return `${arg.slice(0, from)}${url.protocol}//${user}${url.host}${url.pathname}${url.search === '' ? '' : `?${REDACTED}`}`;
}

/** Returns a function that removes the secrets of a server's configuration from output and messages. */
export function redactorFor(config: { transport: TransportConfig; oauth?: OAuthSettings }): (text: string) => string {
  const secrets = [...secretsOf(config.transport), ...secretsOfSettings(config.oauth ?? {})]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, REDACTED), text);
}

function secretsOf(transport: TransportConfig): string[] {
  if (transport.type === 'in-memory') return [];
  if (transport.type === 'hosted') return [transport.apiKey];
  if (transport.type === 'plugin') {
    const { search = '', searchParams } = readUrl(transport.url) ?? {};
    return [...Object.values(transport.settings ?? {}), search, ...(searchParams?.values() ?? [])];
  }
  if (transport.type === 'stdio') {
    const { args = [], env = {} } = transport;
    const ofOptions = args.flatMap((arg, at) => {
      if (SECRET_OPTION.test(args[at - 1] ?? '') && !args[at - 1]?.includes('=')) return [arg];
      return SECRET_OPTION.test(arg) && arg.includes('=') ? [arg.slice(arg.indexOf('=') + 1)] : [];
    });
    return [...ofOptions, ...Object.values(env)];
  }
  const values = Object.values(transport.headers ?? {});
  const ofHeaders = [...values, ...values.map((value) => value.replace(/^\S+ /, ''))];
  const url = readUrl(transport.url);
  if (url === null) return ofHeaders;
  const { username, password, pathname, searchParams, search } = url;
  const ofPath = pathname.split('/').filter((step) => OPAQUE_STEP.test(step));
  return [...ofHeaders, username, password, search, ...searchParams.values(), ...ofPath];
}

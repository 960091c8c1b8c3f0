import type { OAuthSettings } from '../oauth/oauth-settings.ts';
import { secretsOfSettings } from '../oauth/oauth-settings.ts';
import type { TransportConfig } from '../types.ts';
import { readUrl } from '../values/read-url.ts';
import { SECRET_WORDS } from '../values/secret-name.ts';

/** Replaces a secret. */
export const REDACTED = '•••';

/** Shorter values are too common to be searched for. */
const SHORTEST_SECRET = 6;
/** An option with a secret value, as in `--api-key x` or `--token=x`. */
const SECRET_OPTION = new RegExp(String.raw`^--?[\w-]*(${SECRET_WORDS})[\w-]*(=|$)`, 'i');
/** An option whose value is a variable or a header, as in `-e NAME=x` or `--header Name: x`: the name is no secret. */
const PAIR_OPTION = /^(?:-e|--env|-H|--headers?)(?:=|$)/;
/** A path segment that is not a word: some services put the key into the path. */
const OPAQUE_STEP = /^(?=.*\d)[A-Za-z0-9_~=+-]{20,}$/;

/**
 * A URL for display, without parts that may be secret; empty if it is invalid.
 *
 * @example
 * displayUrl('https://user:password@example.com/mcp?key=secret'); // 'https://example.com/mcp'
 */
export function displayUrl(address: string): string {
  const url = readUrl(address);
  if (url === null) return '';
  const steps = url.pathname.split('/').map((step) => (OPAQUE_STEP.test(step) ? REDACTED : step));
  return `${url.protocol}//${url.host}${steps.join('/')}`;
}

/** Nothing but references to variables, perhaps after the scheme of a credential. */
const REFERENCES = /^(?:(?:Bearer|Basic|Token)\s+)?(?:\$\{[^}]*\})+$/i;
/** The same in a query or before an `@`. */
const URL_REFERENCES = /^(?:(?:[^=&:${}]*=)?\$\{[^}]*\}[&:]?)+$/;
const VALUE = String.raw`(?:(?:Bearer|Basic|Token)\s+)?(?:"[^"]*"|'[^']*'|[^\s"'&;,]+)`;
/** `NAME=value`, `"name": "value"` or `--name value` within a text, if the name announces a secret. */
const PAIR = new RegExp(
  String.raw`([\w.-]{0,60}(?:${SECRET_WORDS}|pwd)[\w.-]{0,60}(?:["']?\s*[=:]\s*(?!//)|(?<=--?[\w-]{1,125})\s+(?!-)))(${VALUE})`,
  'gi',
);
const CREDENTIAL = /\b((?:Bearer|Basic)\s+)([\w.~+/=-]{6,})/gi;
const URLS = /[a-z][a-z\d+.-]{0,30}:\/\/[^\s"'<>]+/gi;

/** The arguments of a command as written in its entry, with `mask` in place of values that may be secret. */
export function displayArguments(args: readonly string[], mask: string = REDACTED): string[] {
  return replaceSecrets(args, () => mask);
}

function replaceSecrets(args: readonly string[], replace: (secret: string) => string): string[] {
  const hide = (value: string): string => (REFERENCES.test(value) ? value : replace(value));
  return args.map((arg, at) => {
    const before = args[at - 1] ?? '';
    if (SECRET_OPTION.test(before) && !before.includes('=')) return hide(arg);
    const option = SECRET_OPTION.test(arg) ? /^[^=]*=/.exec(arg)?.[0] : undefined;
    const name = option ?? pairIn(arg, before);
    if (name !== undefined) return name + hide(arg.slice(name.length));
    if (!arg.startsWith('-') && OPAQUE_STEP.test(arg)) return hide(arg);
    return replaceWithin(arg, hide);
  });
}

/** What precedes the value of a variable or header in an argument; undefined for any other argument. */
function pairIn(arg: string, before: string): string | undefined {
  const pattern = PAIR_OPTION.test(before) && !before.includes('=') ? /^[\w-]+\s*[=:]\s*(?=\S)/ : ATTACHED_PAIR;
  return pattern.exec(arg)?.[0];
}

const ATTACHED_PAIR = /^(?:-e|--env=|-H|--headers?=)[\w-]+\s*[=:]\s*(?=\S)/;

/** A text without the secrets that it contains, such as a command in one piece, JSON or a connection string. */
function replaceWithin(text: string, hide: (value: string) => string): string {
  return text
    .replace(URLS, (url) => urlWithout(url, hide))
    .replace(PAIR, (_, name: string, value: string) => {
      const quote = /^["']/.exec(value)?.[0] ?? '';
      return name + quote + hide(quote === '' ? value : value.slice(1, -1)) + quote;
    })
    .replace(CREDENTIAL, (_, scheme: string, value: string) => scheme + hide(value));
}

/** A URL keeps its scheme, host and path: user names, passwords, queries and parts that are no words may be secret. */
function urlWithout(text: string, hide: (value: string) => string): string {
  const [, scheme = '', user, host = '', path = '', query, fragment] =
    /^([^/]*:\/\/)(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text) ?? [];
  const hidden = (part: string | undefined, before: string, after = ''): string => {
    if (part === undefined || part === '') return '';
    return before + (URL_REFERENCES.test(part) ? part : hide(part)) + after;
  };
  const steps = path.split('/').map((step) => (OPAQUE_STEP.test(step) ? hide(step) : step));
  return scheme + hidden(user, '', '@') + host + steps.join('/') + hidden(query, '?') + hidden(fragment, '#');
}

/**
 * Returns a function that removes the secrets of a server's configuration from output and messages.
 *
 * @example
 * const redact = redactorFor({ transport: { type: 'http', url, headers: { 'x-key': 'secret-of-mine' } } });
 * console.log(redact('rejected: secret-of-mine'));
 */
export function redactorFor(config: { transport: TransportConfig; oauth?: OAuthSettings }): (text: string) => string {
  const secrets = [...listSecrets(config.transport), ...secretsOfSettings(config.oauth ?? {})]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, REDACTED), text);
}

function listSecrets(transport: TransportConfig): string[] {
  if (transport.type === 'in-memory') return [];
  if (transport.type === 'hosted') return [transport.apiKey];
  if (transport.type === 'plugin') {
    const { search = '', searchParams } = readUrl(transport.url) ?? {};
    return [...Object.values(transport.settings ?? {}), search, ...(searchParams?.values() ?? [])];
  }
  if (transport.type === 'stdio') {
    const { args = [], env = {} } = transport;
    const found: string[] = [];
    replaceSecrets(args, (secret) => (found.push(secret, ...secret.split(/[&=:\s]+/)), ''));
    return [...found, ...Object.values(env)];
  }
  const values = Object.values(transport.headers ?? {});
  const ofHeaders = [...values, ...values.map((value) => value.replace(/^\S+ /, ''))];
  const url = readUrl(transport.url);
  if (url === null) return ofHeaders;
  const { username, password, pathname, searchParams, search } = url;
  const ofPath = pathname.split('/').filter((step) => OPAQUE_STEP.test(step));
  return [...ofHeaders, username, password, search, ...searchParams.values(), ...ofPath];
}

import { ToolyardError, say } from '@toolyard/protocol';
import type { AddressRules } from './dialect.ts';

/** A path that already contains an API version. */
const VERSIONED = /\/v\d+[a-z0-9]*(\/|$)/;

/**
 * Candidate base URLs, most likely first: as given, and with the version if none is given. Throws ToolyardError
 * `bad_config` unless it is an http(s) URL.
 */
export function baseUrlCandidates(baseUrl: string, rules: AddressRules): string[] {
  const url = parseBaseUrl(baseUrl);
  let path = url.pathname.replace(/\/+$/, '');
  const suffix = rules.endpoints.find((endpoint) => path.endsWith(`/${endpoint}`));
  if (suffix !== undefined) path = path.slice(0, -suffix.length).replace(/\/+$/, '');
  if (rules.version === null) return [`${url.origin}${path}${url.search}`];
  const versioned = `${path}/${rules.version}`;
  const paths = VERSIONED.test(path) ? [path] : rules.versionFirst ? [versioned, path] : [path, versioned];
  return paths.map((candidate) => `${url.origin}${candidate}${url.search}`);
}

/** The URL of an endpoint below a base URL; a query of the base (`?api-version=…`) is kept. */
export function endpointUrl(base: string, path: string): string {
  const query = base.indexOf('?');
  if (query === -1) return base + path;
  return base.slice(0, query) + path + (path.includes('?') ? `&${base.slice(query + 1)}` : base.slice(query));
}

/** Scheme, host and port of a base URL. */
export function getOrigin(baseUrl: string): string {
  return parseBaseUrl(baseUrl).origin;
}

function parseBaseUrl(baseUrl: string): URL {
  const trimmed = baseUrl.trim();
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  const url = trimmed === '' || !URL.canParse(withScheme) ? null : new URL(withScheme);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ToolyardError({
      code: 'bad_config',
      message: say`The base URL of the model server is not an http or https URL.`,
      hint: say`Enter a URL such as ${'http://127.0.0.1:8080/v1'}.`,
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new ToolyardError({
      code: 'bad_config',
      message: say`The base URL of the model server at ${url.host} contains a user name or a password.`,
      hint: say`Remove them from the URL and enter the key separately.`,
    });
  }
  return url;
}

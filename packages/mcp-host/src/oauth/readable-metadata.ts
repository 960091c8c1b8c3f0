import type { Fetch, JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { readUrl } from '../values/read-url.ts';
import { readDocument } from './read-document.ts';

const TEXTS = ['resource', 'issuer'];
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'];
const LISTS = [
  'authorization_servers',
  'scopes_supported',
  'response_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
];
const FLAGS = [
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
  'dpop_bound_access_tokens_required',
];

/** Members that the SDK requires and nothing here uses, and the one value that others are compared with. */
const UNUSED = {
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  jwks_uri: 'https://unused.invalid/',
};

/**
 * A fetch whose metadata documents (RFC 8414, RFC 9728) can be read. Rule: only members that are used are read, each as
 * what it must be, whatever form a server gives it; a body without any of `required` is no document, like a missing one.
 *
 * @param required one of these must be there
 * @param defaults values of members that are absent
 */
export function readableMetadata(fetch: Fetch, required: readonly string[], defaults: JsonObject): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok) return response;
    const document = readDocument(await response.text());
    const { headers } = response;
    if (document === undefined || !required.some((name) => name in document)) {
      return new Response(null, { status: 404 });
    }
    const read = { ...UNUSED, ...defaults, ...readMembers(document, response.url || String(input)) };
    return new Response(JSON.stringify(read), { status: 200, headers });
  };
}

function readMembers(document: JsonObject, address: string): JsonObject {
  const read: JsonObject = {};
  const readAll = (names: readonly string[], how: (value: JsonValue) => JsonValue | undefined): void => {
    for (const name of names) {
      const value = document[name] === undefined ? undefined : how(document[name]);
      if (value !== undefined) read[name] = value;
    }
  };
  readAll(TEXTS, (value) => (typeof value === 'string' ? value.trim() : undefined));
  readAll(ENDPOINTS, (value) => (typeof value === 'string' ? withOrigin(value.trim(), address) : undefined));
  readAll(LISTS, (value) => readWords(value));
  readAll(FLAGS, (value) => value === true || value === 'true');
  const servers = read['authorization_servers'];
  if (Array.isArray(servers)) read['authorization_servers'] = servers.flatMap(issuersIn);
  const methods = read['code_challenge_methods_supported'];
  if (Array.isArray(methods)) {
    read['code_challenge_methods_supported'] = methods.map((one) =>
      typeof one === 'string' && /^s256$/i.test(one) ? 'S256' : one,
    );
  }
  return read;
}

/** A path is one on the server of the document; anything else is judged as it is. */
function withOrigin(text: string, address: string): string {
  return /^\/(?!\/)/.test(text) ? new URL(text, address).href : text;
}

/** A list of texts, or a text of words; of objects their issuer. */
function readWords(value: JsonValue): string[] {
  if (typeof value === 'string') return value.split(/[\s,]+/).filter((word) => word !== '');
  if (!Array.isArray(value)) return [];
  return value.flatMap((one) => {
    const text = isJsonObject(one) ? (one['issuer'] ?? one['url']) : one;
    return typeof text === 'string' && text.trim() !== '' ? [text.trim()] : [];
  });
}

const WELL_KNOWN = /\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(?=\/|$)/;

/** The issuer that a text names, also by the URL of its metadata; empty for another text. */
function issuersIn(text: JsonValue): string[] {
  const url = typeof text === 'string' ? readUrl(text) : null;
  if (url === null || typeof text !== 'string') return [];
  if (!WELL_KNOWN.test(url.pathname)) return [text];
  return [`${url.origin}${url.pathname.replace(WELL_KNOWN, '')}`];
}

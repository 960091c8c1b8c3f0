import { isJsonObject, parseJson, ToolyardError, type Clock, type Fetch, type JsonObject } from '@toolyard/protocol';
import { Deadline } from '../wire/call-guard.ts';
import { readText } from '../wire/json-values.ts';

/** Credentials from which access tokens are made. Source: https://google.aip.dev/auth */
export type GoogleCredentials =
  | { type: 'service_account'; email: string; privateKey: string; keyId?: string; tokenUrl: string }
  | { type: 'authorized_user'; clientId: string; clientSecret: string; refreshToken: string; tokenUrl: string };

/** `expiresAt`: in milliseconds since 1970. */
export type AccessToken = { value: string; expiresAt: number };

const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** Timeout of a token request, in milliseconds. */
const TIMEOUT_MS = 30_000;
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Maximum length of a response with a token, in characters. */
const MAX_RESPONSE = 64_000;

/** Reads a JSON key; null if it is not a JSON object. @throws ToolyardError `bad_config` for any other kind of credentials */
export function readCredentials(key: string): GoogleCredentials | null {
  const parsed = parseJson(key);
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  const fields = parsed.value;
  const tokenUrl = readText(fields['token_uri']) || TOKEN_URL;
  switch (fields['type']) {
    case 'service_account': {
      const email = readRequired(fields, 'client_email');
      const privateKey = readRequired(fields, 'private_key');
      const keyId = readText(fields['private_key_id']);
      return { type: 'service_account', email, privateKey, tokenUrl, ...(keyId === '' ? {} : { keyId }) };
    }
    case 'authorized_user': {
      const clientId = readRequired(fields, 'client_id');
      const clientSecret = readRequired(fields, 'client_secret');
      const refreshToken = readRequired(fields, 'refresh_token');
      return { type: 'authorized_user', clientId, clientSecret, refreshToken, tokenUrl };
    }
    default:
      throw new ToolyardError({
        code: 'bad_config',
        message: `Google Cloud credentials of the type "${readText(fields['type']).slice(0, 40)}" are not supported.`,
        hint: 'Use the JSON key of a service account, or the file that "gcloud auth application-default login" writes.',
      });
  }
}

function readRequired(fields: JsonObject, name: string): string {
  const text = readText(fields[name]);
  if (text !== '') return text;
  throw new ToolyardError({
    code: 'bad_config',
    message: `The Google Cloud credentials have no "${name}".`,
    hint: 'Enter the whole content of the JSON file.',
  });
}

/**
 * Requests an access token: with a signed assertion of a service account (RFC 7523), or a refresh token.
 *
 * @throws ToolyardError `invalid_key` if Google does not accept the credentials, `bad_config` for a damaged private key
 */
export async function requestToken(
  credentials: GoogleCredentials,
  { fetch, clock }: { fetch: Fetch; clock: Clock },
): Promise<AccessToken> {
  const now = clock.now();
  const form =
    credentials.type === 'service_account'
      ? { grant_type: GRANT, assertion: await createAssertion(credentials, now) }
      : {
          grant_type: 'refresh_token',
          client_id: credentials.clientId,
          client_secret: credentials.clientSecret,
          refresh_token: credentials.refreshToken,
        };
  const timeout = new Deadline(clock, TIMEOUT_MS, undefined);
  let response: Response;
  let text: string;
  try {
    response = await fetch(credentials.tokenUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form).toString(),
      redirect: 'error',
      signal: timeout.signal,
    });
    text = await response.text();
  } finally {
    timeout.dispose();
  }
  const parsed = parseJson(text.slice(0, MAX_RESPONSE));
  const answer = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  const value = readText(answer['access_token']);
  if (response.ok && /^[\x21-\x7e]+$/.test(value)) {
    const seconds = typeof answer['expires_in'] === 'number' ? answer['expires_in'] : 3600;
    return { value, expiresAt: now + seconds * 1000 };
  }
  throw createTokenError(response.status, answer);
}

async function createAssertion(
  { email, privateKey, keyId, tokenUrl }: Extract<GoogleCredentials, { type: 'service_account' }>,
  now: number,
): Promise<string> {
  const { importPKCS8, SignJWT } = await import('jose');
  const seconds = Math.floor(now / 1000);
  const key = await importPKCS8(privateKey, 'RS256').catch((cause: unknown) => {
    throw new ToolyardError(
      {
        code: 'bad_config',
        message: 'The private key in the Google Cloud credentials cannot be read.',
        hint: 'Enter the whole content of the JSON file.',
      },
      { cause },
    );
  });
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) })
    .setIssuer(email)
    .setSubject(email)
    .setAudience(tokenUrl)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 3600)
    .sign(key);
}

/** Only the error code and its description are shown: a server may echo the request. */
function createTokenError(status: number, answer: JsonObject): ToolyardError {
  const code = readText(answer['error'])
    .replace(/[^\w.-]/g, '')
    .slice(0, 60);
  const isTemporary = status >= 500 || status === 429;
  return new ToolyardError({
    code: isTemporary ? 'overloaded' : 'invalid_key',
    message: `Google did not issue an access token (HTTP ${status}${code === '' ? '' : `, ${code}`}).`,
    hint: isTemporary
      ? 'Try again in a moment.'
      : 'The key may be deleted, or the sign-in has expired: enter new credentials, and check the clock of this machine.',
    ...(isTemporary ? { retryable: true } : {}),
  });
}

import { generateKeyPairSync, verify, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import { parseJson, type Fetch, type JsonObject } from '@toolyard/protocol';
import {
  anthropicReply,
  createFakeClock,
  geminiReply,
  listenOnLoopback,
  reply,
  startModelServer,
} from '@toolyard/testing';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createProviderRuntime } from '../providers/factories.ts';
import { collect, errorIn, request, textIn } from '../test-fixtures/requests.ts';
import type { ModelRuntime } from '../types.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const HOST = 'https://europe-west4-aiplatform.googleapis.com/v1/projects/p1/locations/europe-west4/publishers';

/** A token endpoint that accepts only assertions with a valid signature, and the refresh token `refresh-1`. */
const tokens = { issued: 0, forms: [] as URLSearchParams[], expiresIn: 3600, failure: null as number | null };
const tokenServer = createServer((incoming, response) => {
  void (async () => {
    let text = '';
    for await (const piece of incoming) text += String(piece);
    const form = new URLSearchParams(text);
    tokens.forms.push(form);
    const isValid =
      form.get('grant_type') === 'refresh_token'
        ? form.get('refresh_token') === 'refresh-1' && form.get('client_secret') === 'secret-1'
        : isSigned(form.get('assertion') ?? '', publicKey);
    const isIssued = isValid && tokens.failure === null;
    response.writeHead(isIssued ? 200 : (tokens.failure ?? 400), { 'content-type': 'application/json' });
    const echoed = { error: 'invalid_grant', error_description: `echo ${text}` };
    tokens.issued += isIssued ? 1 : 0;
    const issued = { access_token: `ya29.canary-${tokens.issued}`, expires_in: tokens.expiresIn, token_type: 'Bearer' };
    response.end(JSON.stringify(isIssued ? issued : echoed));
  })();
});
const TOKEN_URL = `${(await listenOnLoopback(tokenServer)).origin}/token`;
afterAll(() => tokenServer.close());
beforeEach(() => Object.assign(tokens, { issued: 0, forms: [], expiresIn: 3600, failure: null }));

/** Checks the signature with Node's own crypto. */
function isSigned(jwt: string, key: KeyObject): boolean {
  const [head = '', payload = '', signature = ''] = jwt.split('.');
  return verify('RSA-SHA256', Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url'));
}

function readClaims(form: URLSearchParams | undefined): JsonObject {
  const parsed = parseJson(Buffer.from(form?.get('assertion')?.split('.')[1] ?? '', 'base64url').toString());
  return parsed.ok ? (parsed.value as JsonObject) : {};
}

const ACCOUNT = {
  type: 'service_account',
  client_email: 'me@p1.iam.gserviceaccount.com',
  private_key: PEM,
  private_key_id: 'k1',
  token_uri: TOKEN_URL,
};
const USER = { type: 'authorized_user', client_id: 'id-1', client_secret: 'secret-1', refresh_token: 'refresh-1' };

const clock = createFakeClock();

/** A runtime of the preset, whose hosts are the scripted server; the token endpoint is the real one above. */
function vertex(publisher: 'google' | 'anthropic', origin: string, apiKey: string): ModelRuntime {
  const fetch: Fetch = (input, init) => {
    const { href, pathname, search } = new URL(input);
    if (href === TOKEN_URL) return globalThis.fetch(href, init);
    return globalThis.fetch(`${origin}/v1${pathname.replace(/.*(?=\/models)/, '')}${search}`, init);
  };
  const wire = publisher === 'google' ? 'google-gemini' : 'anthropic-messages';
  const record = { wire, quirks: { vertex: true }, baseUrl: `${HOST}/${publisher}` } as const;
  return createProviderRuntime(record, { fetch, clock, apiKey, maxRetries: 0 });
}

describe('Gemini and Claude on Vertex AI', () => {
  test('are called with a token of the service account, in their own formats', async () => {
    await using server = await startModelServer(({ path }) =>
      path.includes('claude') ? anthropicReply('By Claude.') : geminiReply('By Gemini.'),
    );
    const key = JSON.stringify(ACCOUNT);
    const gemini = await collect(vertex('google', server.origin, key), request('hi', { model: 'gemini-2.5-flash' }));
    const claude = await collect(
      vertex('anthropic', server.origin, key),
      request('hi', { model: 'claude-sonnet-4-5@20250929' }),
    );
    expect([textIn(gemini), textIn(claude)]).toEqual(['By Gemini.', 'By Claude.']);
    const [first, second] = server.requests;
    expect(first?.path).toBe('/v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse');
    expect(first?.headers.authorization).toBe('Bearer ya29.canary-1');
    expect(first?.headers).not.toHaveProperty('x-goog-api-key');
    expect(second?.path).toBe('/v1/models/claude-sonnet-4-5%4020250929:streamRawPredict');
    expect(second?.headers.authorization).toBe('Bearer ya29.canary-2');
    expect(second?.headers).not.toHaveProperty('x-api-key');
    expect(second?.body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true });
    expect(second?.body).not.toHaveProperty('model');
    const now = Math.floor(clock.now() / 1000);
    expect(readClaims(tokens.forms[0])).toEqual({
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      iss: ACCOUNT.client_email,
      sub: ACCOUNT.client_email,
      aud: TOKEN_URL,
      iat: now,
      exp: now + 3600,
    });
  });
});

describe('access tokens', () => {
  test('are requested once for all calls, and again before they end', async () => {
    await using server = await startModelServer(() => geminiReply('ok'));
    const runtime = vertex('google', server.origin, JSON.stringify(ACCOUNT));
    await Promise.all([1, 2, 3].map(() => collect(runtime, request('hi'))));
    expect(tokens.issued).toBe(1);
    await clock.advance(3_541_000);
    await collect(runtime, request('hi'));
    await collect(runtime, request('hi'));
    expect(tokens.issued).toBe(2);
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer ya29.canary-2');
  });

  test('that are rejected are renewed once', async () => {
    const refusal = reply.error(401, {
      error: { code: 401, status: 'UNAUTHENTICATED', message: 'ya29.canary-1 ended' },
    });
    await using server = await startModelServer([refusal, geminiReply('ok'), refusal, refusal]);
    const runtime = vertex('google', server.origin, JSON.stringify(ACCOUNT));
    expect(textIn(await collect(runtime, request('hi')))).toBe('ok');
    expect(tokens.issued).toBe(2);
    const error = errorIn(await collect(runtime, request('hi')));
    expect(error.code).toBe('invalid_key');
    expect(server.requests).toHaveLength(4);
    expect(JSON.stringify(error)).not.toContain('canary');
  });

  test('of a user are made from the refresh token, or are the key itself', async () => {
    await using server = await startModelServer(() => geminiReply('ok'));
    const key = JSON.stringify({ ...USER, token_uri: TOKEN_URL });
    expect(textIn(await collect(vertex('google', server.origin, key), request('hi')))).toBe('ok');
    expect(tokens.forms[0]?.get('refresh_token')).toBe('refresh-1');
    await collect(vertex('google', server.origin, 'ya29.typed'), request('hi'));
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer ya29.typed');
    expect(tokens.issued).toBe(1);
  });

  test.each([
    ['refused', 400, 'invalid_key'],
    ['unavailable', 503, 'overloaded'],
  ])('that are %s are reported without secrets', async (_, status, code) => {
    tokens.failure = status;
    await using server = await startModelServer([]);
    const key = JSON.stringify({ ...USER, token_uri: TOKEN_URL });
    const error = errorIn(await collect(vertex('google', server.origin, key), request('hi')));
    expect(error).toMatchObject({ code, message: expect.stringContaining(`HTTP ${status}`) });
    expect(JSON.stringify(error)).not.toMatch(/refresh-1|secret-1/);
    expect(server.requests).toEqual([]);
  });

  test('a call that is cancelled while its token is requested ends at once', async () => {
    const controller = new AbortController();
    const runtime = createProviderRuntime(
      { wire: 'google-gemini', quirks: { vertex: true }, baseUrl: `${HOST}/google` },
      { fetch: () => new Promise(() => undefined), clock, apiKey: JSON.stringify(ACCOUNT) },
    );
    const reading = collect(runtime, request('hi'), controller.signal);
    setImmediate(() => controller.abort());
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});

test.each([
  [{ type: 'external_account' }, /"external_account" are not supported/],
  [{ ...ACCOUNT, client_email: '' }, /no "client_email"/],
  [{ ...ACCOUNT, private_key: 'canary' }, /private key .* cannot be read/],
  [{}, /not supported/],
])('credentials that cannot be used are reported: %j', async (key, message) => {
  await using server = await startModelServer([]);
  const error = errorIn(await collect(vertex('google', server.origin, JSON.stringify(key)), request('hi')));
  expect(error).toMatchObject({ code: 'bad_config', message: expect.stringMatching(message) });
  expect(JSON.stringify(error)).not.toMatch(/canary|PRIVATE KEY/);
});

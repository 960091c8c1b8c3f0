import { ToolyardError, type Fetch } from '@toolyard/protocol';
import { AwsV4Signer } from 'aws4fetch';
import type { SigningContext } from '../wire/dialect.ts';

/** `ACCESS_KEY_ID:SECRET_ACCESS_KEY`, for temporary credentials followed by `:SESSION_TOKEN`. */
const CREDENTIALS = /^([A-Z0-9]{16,128}):([A-Za-z0-9/+=]{16,128})(?::(\S+))?$/;

/** The data plane and the control plane are separate hosts. */
const RUNTIME_HOST = /^bedrock-runtime(-fips)?(?=\.)/;
const CONTROL_PATH = /^\/(foundation-models|inference-profiles)$/;

/** The region in the host of a base URL, `us-east-1` if it contains none, as for a proxy. */
function findRegion(host: string): string {
  return /(?:^|\.)bedrock(?:-runtime)?(?:-fips)?\.([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(host)?.[1] ?? 'us-east-1';
}

/**
 * Signs each request with AWS credentials (Signature Version 4), or adds a Bedrock API key. The key of the provider is
 * either, see {@link CREDENTIALS}.
 */
export function signedFetch({ apiKey, fetch, clock }: SigningContext): Fetch {
  return async (input, init = {}) => {
    const url = new URL(input);
    if (CONTROL_PATH.test(url.pathname)) url.hostname = url.hostname.replace(RUNTIME_HOST, 'bedrock$1');
    const headers = new Headers(init.headers);
    if (apiKey === undefined) return fetch(url, init);
    if (!apiKey.includes(':')) {
      headers.set('authorization', `Bearer ${apiKey}`);
      return fetch(url, { ...init, headers });
    }
    const [, accessKeyId, secretAccessKey, sessionToken] = CREDENTIALS.exec(apiKey) ?? [];
    if (accessKeyId === undefined || secretAccessKey === undefined) throw createInvalidCredentialsError();
    const signed = await new AwsV4Signer({
      url: url.href,
      headers,
      accessKeyId,
      secretAccessKey,
      service: 'bedrock',
      region: findRegion(url.hostname),
      datetime: new Date(clock.now()).toISOString().replace(/[:-]|\.\d+/g, ''),
      ...(init.method === undefined ? {} : { method: init.method }),
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      ...(sessionToken === undefined ? {} : { sessionToken }),
    }).sign();
    return fetch(signed.url, { ...init, headers: signed.headers });
  };
}

function createInvalidCredentialsError(): ToolyardError {
  return new ToolyardError({
    code: 'bad_config',
    message: 'The key is not a Bedrock API key, nor AWS credentials.',
    hint: 'Enter ACCESS_KEY_ID:SECRET_ACCESS_KEY, for temporary credentials ACCESS_KEY_ID:SECRET_ACCESS_KEY:SESSION_TOKEN.',
  });
}

import type { Scope } from '@toolyard/protocol';
import type { ProblemAnswer } from '../problems.ts';
import { quoted, refusal } from '../problems.ts';
import { SESSION_HEADER } from './credentials.ts';

const HOW_TO_SIGN_IN =
  'Run the command "open" of Toolyard on the server\'s machine to get a sign-in link, or use the access token: the file ' +
  'access-token in the data folder, unless the server was started with another token.';

export const noCredential = (): ProblemAnswer =>
  unauthorized('This server requires an access token, but the request has none.', HOW_TO_SIGN_IN);

export const wrongToken = (): ProblemAnswer =>
  unauthorized('The credential is neither the access token of this server nor a valid API key.', HOW_TO_SIGN_IN);

export const wrongCode = (): ProblemAnswer =>
  unauthorized('This sign-in link has expired or was already used.', HOW_TO_SIGN_IN);

export const sessionOver = (): ProblemAnswer =>
  unauthorized('This session has expired or was signed out.', HOW_TO_SIGN_IN);

/** A page on another port of this host also receives the cookie, but not the secret. */
export const noSecret = (): ProblemAnswer =>
  unauthorized(
    `The request has a session cookie but not its secret (header ${SESSION_HEADER}).`,
    'Sign in again in this browser. Programs send "Authorization: Bearer" with an API key or the access token.',
  );

export const badSignature = (): ProblemAnswer =>
  unauthorized('The signed URL of this file has expired or is invalid.', 'Reload the page that contains the file.');

export function tooManyFailures(seconds: number): ProblemAnswer {
  return refusal(
    {
      code: 'rate_limited',
      message: 'Too many failed authentication attempts.',
      hint: `Try again in ${seconds} s. A valid token is accepted at any time.`,
    },
    { headers: { 'retry-after': String(seconds) } },
  );
}

export function missingScope(needed: readonly Scope[]): ProblemAnswer {
  const names = needed.map(quoted).join(' or ');
  return refusal({
    code: 'forbidden',
    message: `This API key does not have the scope ${names}.`,
    hint: 'Create a key that has it: "toolyard keys create", or Settings > Access.',
  });
}

function unauthorized(message: string, hint: string): ProblemAnswer {
  const headers = { 'www-authenticate': 'Bearer', [SESSION_HEADER]: 'required' };
  return refusal({ code: 'unauthorized', message, hint }, { headers });
}

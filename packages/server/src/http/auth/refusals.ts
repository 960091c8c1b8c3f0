import type { Scope, AnyText } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import type { ProblemAnswer } from '../problems.ts';
import { quoted, refusal } from '../problems.ts';
import { SESSION_HEADER } from './credentials.ts';

const HOW_TO_SIGN_IN =
  'Run the command "open" of Toolyard on the server\'s machine to get a sign-in link, or use the access token: the file ' +
  'access-token in the data folder, unless the server was started with another token.';

export const noCredential = (): ProblemAnswer =>
  unauthorized(say`This server requires an access token, but the request has none.`, HOW_TO_SIGN_IN);

export const wrongToken = (): ProblemAnswer =>
  unauthorized(say`The credential is neither the access token of this server nor a valid API key.`, HOW_TO_SIGN_IN);

export const wrongCode = (): ProblemAnswer =>
  unauthorized(say`This sign-in link has expired or was already used.`, HOW_TO_SIGN_IN);

export const sessionOver = (): ProblemAnswer =>
  unauthorized(say`This session has expired or was signed out.`, HOW_TO_SIGN_IN);

/** A page on another port of this host also receives the cookie, but not the secret. */
export const noSecret = (): ProblemAnswer =>
  unauthorized(
    say`The request has a session cookie but not its secret (header ${SESSION_HEADER}).`,
    say`Sign in again in this browser. Programs send "Authorization: Bearer" with an API key or the access token.`,
  );

export const badSignature = (): ProblemAnswer =>
  unauthorized(
    say`The signed URL of this file has expired or is invalid.`,
    say`Reload the page that contains the file.`,
  );

export function tooManyFailures(seconds: number): ProblemAnswer {
  return refusal(
    {
      code: 'rate_limited',
      message: say`Too many failed authentication attempts.`,
      hint: say`Try again in ${seconds} s. A valid token is accepted at any time.`,
    },
    { headers: { 'retry-after': String(seconds) } },
  );
}

export function missingScope(needed: readonly Scope[]): ProblemAnswer {
  const names = needed.map(quoted).join(' or ');
  return refusal({
    code: 'forbidden',
    message: say`This API key does not have the scope ${names}.`,
    hint: say`Create a key that has it: "toolyard keys create", or Settings > Access.`,
  });
}

function unauthorized(message: AnyText, hint: AnyText): ProblemAnswer {
  const headers = { 'www-authenticate': 'Bearer', [SESSION_HEADER]: 'required' };
  return refusal({ code: 'unauthorized', message, hint }, { headers });
}

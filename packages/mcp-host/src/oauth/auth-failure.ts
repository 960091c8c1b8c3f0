import type { AnyText, ErrorInit } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';

/**
 * A request failed for lack of a valid sign-in, or because of the authorization server. It was certainly not executed.
 */
export class AuthFailure extends ToolyardError {
  /** True if only this request needs further scopes; the connection stays usable. */
  readonly concernsOne: boolean;

  constructor(info: ErrorInit, options: { concernsOne?: boolean; cause?: unknown } = {}) {
    super(info, options.cause === undefined ? undefined : { cause: options.cause });
    this.concernsOne = options.concernsOne === true;
  }
}

/** The {@link AuthFailure} of an error, which the SDK may have wrapped. */
export function authFailureIn(thrown: unknown, depth = 0): AuthFailure | undefined {
  if (thrown instanceof AuthFailure) return thrown;
  return thrown instanceof Error && depth < 5 ? authFailureIn(thrown.cause, depth + 1) : undefined;
}

/** There is no valid token. */
export function signInRequiredFailure(serverId: string, why?: AnyText): AuthFailure {
  return new AuthFailure({
    code: 'needs_sign_in',
    message:
      why === undefined
        ? say`The server "${serverId}" requires a sign-in.`
        : say`The server "${serverId}" requires a sign-in: ${why}.`,
    hint: say`Sign in, or set a valid token in the headers of the server.`,
  });
}

/** The request needs scopes that have not been granted. */
export function insufficientScope(serverId: string, scope: string): AuthFailure {
  return new AuthFailure(
    {
      code: 'needs_sign_in',
      message: say`The server "${serverId}" requires more scopes for this: ${scope.slice(0, 200)}.`,
      hint: say`Sign in again; the sign-in page asks you to grant them.`,
    },
    { concernsOne: true },
  );
}

/** The required scopes are granted, but the server still rejects the request. */
export function scopeDoesNotHelp(serverId: string): AuthFailure {
  return new AuthFailure(
    {
      code: 'server_refused',
      message: say`The server "${serverId}" denies this for insufficient scope, although all scopes it asked for were granted.`,
      hint: say`Ask the operator of the server to give your account access.`,
    },
    { concernsOne: true },
  );
}

import type { ErrorInfo } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';

/**
 * Why a request was not accepted for want of a sign-in, or of the sign-in server. What was asked has certainly not been
 * carried out.
 */
export class AuthFailure extends ToolyardError {
  /** The connection as such still stands: only this request wants more rights. */
  readonly concernsOne: boolean;

  constructor(info: ErrorInfo, options: { concernsOne?: boolean; cause?: unknown } = {}) {
    super(info, options.cause === undefined ? undefined : { cause: options.cause });
    this.concernsOne = options.concernsOne === true;
  }
}

/** The same failure where the SDK has wrapped it. */
export function authFailureIn(thrown: unknown, depth = 0): AuthFailure | undefined {
  if (thrown instanceof AuthFailure) return thrown;
  return thrown instanceof Error && depth < 5 ? authFailureIn(thrown.cause, depth + 1) : undefined;
}

/** Nobody is signed in, or no longer. */
export function signInRequiredFailure(serverId: string, why?: string): AuthFailure {
  return new AuthFailure({
    code: 'needs_sign_in',
    message: `The server "${serverId}" asks for a sign-in${why === undefined ? '' : `: ${why}`}.`,
    hint: 'Sign in to it, or give it a valid token in the headers of its configuration.',
  });
}

/** What is asked for wants rights that nobody has given yet. */
export function insufficientScope(serverId: string, scope: string): AuthFailure {
  return new AuthFailure(
    {
      code: 'needs_sign_in',
      message: `The server "${serverId}" wants more rights for this than it was given: ${scope.slice(0, 200)}.`,
      hint: 'Sign in to it once more; the sign-in page asks whether it may have them.',
    },
    { concernsOne: true },
  );
}

/** The rights it asks for are given, and it goes on refusing. */
export function scopeDoesNotHelp(serverId: string): AuthFailure {
  return new AuthFailure(
    {
      code: 'server_refused',
      message: `The server "${serverId}" refuses this for want of rights, though it was given all it asked for.`,
      hint: 'Whoever runs it must allow this account to do so.',
    },
    { concernsOne: true },
  );
}

import type { Scope } from './access.ts';
import type { Owner } from './run-store.ts';
import type { ApiKeyLimits, PrincipalVia } from './schemas/access.ts';

/** The sender of a request: the owner it acts for, how it was authenticated, and what it may do. */
export type Principal = Owner & {
  via: PrincipalVia;
  scopes: readonly Scope[];
  /** The session or API key. */
  credentialId?: string;
  /** Name of the API key. */
  credentialName?: string;
  /** Limits of the API key. */
  limits?: ApiKeyLimits;
};

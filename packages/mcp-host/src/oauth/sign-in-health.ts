/** The purpose of a request during a sign-in. */
export type AuthStep =
  | 'resource metadata'
  | 'sign-in server metadata'
  | 'registration'
  | 'identity provider'
  | 'token'
  | 'revocation';

/** One request of a sign-in, as logged. */
export type AuthHop = {
  /** Milliseconds since 1970. */
  at: number;
  step: AuthStep;
  /** Method and URL without the query, which may contain secrets. */
  request: string;
  /** Absent if there was no response. */
  status?: number;
  /** The error of the other side or the network. */
  said?: string;
};

/** The state of the sign-in to a server, for display. */
export type SignInHealth = {
  state: 'signed_out' | 'signing_in' | 'signed_in';
  /** The issuer of the authorization server. */
  issuer?: string;
  /** The granted scopes. */
  scope?: string;
  /** The scopes to grant in the next sign-in, if the server named them. */
  wanted?: string;
  /** The requests of the last sign-in or refresh, oldest first. */
  hops: AuthHop[];
};

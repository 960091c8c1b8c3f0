/** What a request of a sign-in was for. */
export type AuthStep =
  | 'resource metadata'
  | 'sign-in server metadata'
  | 'registration'
  | 'identity provider'
  | 'token'
  | 'revocation';

/** One request of a sign-in, as its account tells it. */
export type AuthHop = {
  /** Milliseconds since 1970. */
  at: number;
  step: AuthStep;
  /** Method and address, without query: that may hold secrets. */
  request: string;
  /** Absent where there was no answer. */
  status?: number;
  /** What went wrong, as the other side or the network says. */
  said?: string;
};

/** How the sign-in to a server stands, for people. */
export type SignInHealth = {
  state: 'signed_out' | 'signing_in' | 'signed_in';
  /** Who asks for the password, or did. */
  issuer?: string;
  /** What was given. */
  scope?: string;
  /** What is to be given with the next sign-in, where the server has said so. */
  wanted?: string;
  /** Of the last sign-in or renewal, oldest first: each request and what came of it. */
  hops: AuthHop[];
};

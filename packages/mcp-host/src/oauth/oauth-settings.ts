/** A text, or what gives a fresh one: some are valid for minutes only. */
export type SecretText = string | (() => Promise<string>);

/**
 * How Toolyard gets tokens without a person.
 * - `client_credentials`: as itself, with its secret or private key
 * - `jwt_bearer`: with a token that the place it runs in was given (workload identity, RFC 7523)
 * - `enterprise`: with the ID token of a person, exchanged at the identity provider of a company for a grant of just
 *   this server
 */
export type OAuthGrant =
  | { type: 'client_credentials' }
  | { type: 'jwt_bearer'; assertion: SecretText }
  | { type: 'enterprise'; tokenEndpoint: string; clientId: string; clientSecret?: string; idToken: SecretText };

/** What an owner says about signing in to a server; nothing of it is needed where server and sign-in server say it. */
export type OAuthSettings = {
  /** Of a client that was registered by hand; else Toolyard introduces itself. */
  clientId?: string;
  clientSecret?: string;
  /** PKCS #8, as PEM: instead of a secret, the client signs who it is. */
  privateKey?: string;
  /** Of the private key; default `ES256`. */
  signingAlgorithm?: string;
  /** Asked for in place of what the server suggests; with spaces between. */
  scope?: string;
  /** The only sign-in server that is believed, and the only one that sees the secrets above. */
  issuer?: string;
  /** Sent as the `resource` (RFC 8707); false sends none. Default: what the server says it is. */
  resource?: string | false;
  /** An https address where a description of this client lies (CIMD). */
  clientMetadataUrl?: string;
  /** The sign-in server knows PKCE with S256 though it does not say so. */
  assumePkce?: boolean;
  grant?: OAuthGrant;
};

/** Everything in it that nobody may read. */
export function secretsOfSettings(settings: OAuthSettings): string[] {
  const { clientSecret, privateKey, grant } = settings;
  const ofGrant =
    grant?.type === 'jwt_bearer'
      ? [grant.assertion]
      : grant?.type === 'enterprise'
        ? [grant.clientSecret, grant.idToken]
        : [];
  return [clientSecret, privateKey, ...ofGrant].filter((text) => typeof text === 'string');
}

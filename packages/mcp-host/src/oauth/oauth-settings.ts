/** A string, or a function that returns a fresh one, for values that expire within minutes. */
export type SecretText = string | (() => Promise<string>);

/**
 * How Toolyard gets tokens without a user.
 * - `client_credentials`: for itself, with its secret or private key
 * - `jwt_bearer`: with a token issued to its environment (workload identity, RFC 7523)
 * - `enterprise`: with a user's ID token, exchanged at the identity provider of a company for an assertion for this
 * server
 */
export type OAuthGrant =
  | { type: 'client_credentials' }
  | { type: 'jwt_bearer'; assertion: SecretText }
  | { type: 'enterprise'; tokenEndpoint: string; clientId: string; clientSecret?: string; idToken: SecretText };

/** Sign-in settings of a server; all are optional if the server and its authorization server support discovery. */
export type OAuthSettings = {
  /** A client that was registered manually; default: Toolyard registers itself. */
  clientId?: string;
  clientSecret?: string;
  /** PKCS #8 in PEM: the client authenticates with a signature instead of a secret. */
  privateKey?: string;
  /** The algorithm of the private key; default `ES256`. */
  signingAlgorithm?: string;
  /** Overrides the scopes the server suggests; separated by spaces. */
  scope?: string;
  /** The only accepted authorization server, and the only one that receives these secrets. */
  issuer?: string;
  /** Sent as `resource` (RFC 8707); false sends none. Default: the value in the server's metadata. */
  resource?: string | false;
  /** An https URL with the client metadata (CIMD). */
  clientMetadataUrl?: string;
  /** The authorization server supports PKCE with S256 without declaring it. */
  assumePkce?: boolean;
  grant?: OAuthGrant;
};

/** All secrets in these settings. */
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

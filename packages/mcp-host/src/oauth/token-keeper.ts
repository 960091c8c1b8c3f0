import type { Clock } from '@toolyard/protocol';
import { defined, isStorageFault, ToolyardError, say, pause } from '@toolyard/protocol';
import { signInRequiredFailure } from './auth-failure.ts';
import type { AuthStore } from './auth-store.ts';
import { clientKey } from './client-identity.ts';
import { readProofKey } from './dpop-keys.ts';
import type { HopLog } from './hops.ts';
import { isSameIssuer } from './issuer.ts';
import type { StoredTokens } from './stored-tokens.ts';
import { readTokens, tokensKey, withTokenResponse } from './stored-tokens.ts';
import type { TokenRequest } from './token-request.ts';
import { requestToken, TokenRefused } from './token-request.ts';

/** How long a refresh claim is valid, in milliseconds; longer than the request may take. */
const RENEWAL_MS = 30_000;
/** How often to check while another process refreshes, in milliseconds. */
const POLL_MS = 50;
/** How often to retry storing refreshed tokens, in milliseconds. */
const STORE_RETRY_MS = 1_000;
/** How often a concurrently changed row is retried. */
const MAX_TRIES = 100;

export type TokenKeeperOptions = {
  serverId: string;
  /** Tokens for another URL are ignored. */
  serverUrl: string;
  /** If set, tokens of other issuers are ignored. */
  issuer: string | undefined;
  store: AuthStore;
  clock: Clock;
  hops: HopLog;
  /** The private key of the client, if it authenticates with signatures. */
  privateKey: TokenRequest['privateKey'];
};

type Row = { tokens: StoredTokens; version: string };

/**
 * The tokens of one server. Only one process refreshes them at a time, because many authorization servers treat a
 * refresh token that is used twice as stolen.
 */
export class TokenKeeper {
  readonly #options: TokenKeeperOptions;
  readonly #key: string;
  /** Null: there are none. Undefined: not read yet. */
  #known: Row | null | undefined;
  /** Refreshed but not stored yet; the stored ones are used up. */
  #unstored: Row | undefined;
  #renewing: Promise<StoredTokens> | undefined;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
    this.#key = tokensKey(options.serverId);
  }

  /** The tokens seen last, without waiting for the store. */
  get known(): StoredTokens | undefined {
    return this.#known?.tokens;
  }

  async current(): Promise<StoredTokens | undefined> {
    if (this.#known === undefined || this.#unstored !== undefined) await this.reload();
    return this.known;
  }

  /** The stored tokens: another process may have signed in, signed out or refreshed. */
  async reload(): Promise<StoredTokens | undefined> {
    if (this.#unstored !== undefined && !(await this.#keep(this.#unstored))) return this.known;
    const row = await this.#read();
    const tokens = row === undefined ? null : readTokens(row.value);
    this.#known =
      row === undefined || tokens === null || !this.#isOurs(tokens) ? null : { tokens, version: row.version };
    return this.known;
  }

  /** Replaces the stored tokens after a sign-in. */
  async save(tokens: StoredTokens): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await this.#read();
      if (!(await this.#write(tokens, before?.version ?? null))) continue;
      this.#unstored = undefined;
      return;
    }
    throw createBusyError(this.#options.serverId);
  }

  /** Deletes the tokens. */
  async remove(): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await this.#read();
      if (before === undefined || (await this.#options.store.remove(this.#key, before.version))) {
        this.#known = null;
        this.#unstored = undefined;
        return;
      }
    }
    throw createBusyError(this.#options.serverId);
  }

  /**
   * Tokens newer than these: others that were stored meanwhile, else refreshed ones.
   *
   * @throws AuthFailure `needs_sign_in` if a user must sign in; ToolyardError if the authorization server does not
   * answer, in which case the tokens are unchanged
   */
  renew(used: StoredTokens): Promise<StoredTokens> {
    this.#renewing ??= this.#renew(used).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(used: StoredTokens): Promise<StoredTokens> {
    const { serverId, clock } = this.#options;
    const owner = randomName();
    for (let tries = 0; tries < RENEWAL_MS / POLL_MS + MAX_TRIES; tries++) {
      const tokens = await this.reload();
      const row = this.#known;
      if (tokens === undefined || row === undefined || row === null) throw signInRequiredFailure(serverId);
      if (tokens.accessToken !== used.accessToken) return tokens;
      if (tokens.refreshToken === undefined) throw signInRequiredFailure(serverId, say`the last one has expired`);
      if (tokens.renewal !== undefined && tokens.renewal.until > clock.now()) {
        await pause(clock, POLL_MS);
        continue;
      }
      const claim = { ...tokens, renewal: { by: owner, until: clock.now() + RENEWAL_MS } };
      if (await this.#write(claim, row.version)) return this.#refresh(claim, tokens.refreshToken);
    }
    throw createBusyError(serverId);
  }

  /** Only the process that holds the claim gets here. */
  async #refresh(claim: StoredTokens, refreshToken: string): Promise<StoredTokens> {
    const { serverId, clock, hops, privateKey } = this.#options;
    const version = this.#known?.version ?? '';
    const { renewal: _claim, ...unclaimed } = claim;
    try {
      const proof = claim.tokenType === 'DPoP' ? await readProofKey(claim.proofKey) : undefined;
      const answer = await requestToken({
        endpoint: claim.tokenEndpoint,
        client: claim.client,
        authMethods: claim.authMethods,
        ...defined({ privateKey }),
        params: {
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
          ...defined({ resource: claim.resource }),
        },
        proof: proof?.session,
        hops,
      });
      const renewed = withTokenResponse(claim, answer, clock.now());
      if (!(await this.#keep({ tokens: renewed, version })) || this.#known !== undefined) return renewed;
      // A sign-in or sign-out meanwhile takes precedence.
      const other = await this.reload();
      if (other === undefined) throw signInRequiredFailure(serverId);
      return other;
    } catch (thrown) {
      if (!(thrown instanceof TokenRefused) || !isFinal(thrown)) {
        await this.#write(unclaimed, version);
        throw thrown instanceof TokenRefused ? createRefreshError(serverId) : thrown;
      }
      return await this.#lost(thrown, version);
    }
  }

  /** Stores refreshed tokens. False if the store fails; they are used here until they can be stored. */
  async #keep(row: Row): Promise<boolean> {
    try {
      await this.#write(row.tokens, row.version);
      this.#unstored = undefined;
      return true;
    } catch (thrown) {
      if (!isStorageFault(thrown)) throw thrown;
      if (this.#unstored === undefined) this.#storeLater(this.#options.clock.now() + RENEWAL_MS);
      this.#unstored = this.#known = row;
      return false;
    }
  }

  /** Retries in the background: another process that reads the used-up tokens would use them a second time. */
  #storeLater(until: number): void {
    const { clock } = this.#options;
    clock.after(STORE_RETRY_MS, () => {
      if (this.#unstored === undefined) return;
      const updated = (): void => {
        if (this.#unstored !== undefined && clock.now() < until) this.#storeLater(until);
      };
      void this.#keep(this.#unstored).then(updated, updated);
    });
  }

  /** The authorization server rejected the refresh token. Tokens written meanwhile are kept. */
  async #lost(refusal: TokenRefused, version: string): Promise<StoredTokens> {
    const { store, serverId } = this.#options;
    const isStillThere = await store.remove(this.#key, version);
    this.#known = undefined;
    const other = isStillThere ? undefined : await this.reload();
    if (other !== undefined) return other;
    if (refusal.error === 'invalid_client' || refusal.error === 'unauthorized_client') {
      const client = await store.get(clientKey(serverId));
      if (client !== undefined && client.value['clientId'] !== undefined) {
        await store.remove(clientKey(serverId), client.version);
      }
    }
    throw signInRequiredFailure(serverId, say`the last one is no longer valid`);
  }

  #read() {
    return this.#options.store.get(this.#key);
  }

  async #write(tokens: StoredTokens, expected: string | null): Promise<boolean> {
    const version = await this.#options.store.put(this.#key, tokens, expected);
    this.#known = version === null ? undefined : { tokens, version };
    return version !== null;
  }

  #isOurs(tokens: StoredTokens): boolean {
    const { serverUrl, issuer } = this.#options;
    return tokens.serverUrl === serverUrl && (issuer === undefined || isSameIssuer(tokens.issuer, issuer));
  }
}

/** Errors that a retry does not change (RFC 6749, 5.2); a failing authorization server reports others. */
function isFinal({ error }: TokenRefused): boolean {
  return ['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_scope', 'invalid_dpop_proof'].includes(
    error,
  );
}

function createRefreshError(serverId: string): ToolyardError {
  return new ToolyardError({
    code: 'server_unreachable',
    message: say`The sign-in to "${serverId}" could not be refreshed: the authorization server failed.`,
    hint: say`Try again; the log of the server shows its response.`,
    retryable: true,
  });
}

function createBusyError(serverId: string): ToolyardError {
  return new ToolyardError({
    code: 'server_unreachable',
    message: say`The sign-in to "${serverId}" is being changed by several processes at once.`,
    hint: say`Try again.`,
    retryable: true,
  });
}

/** Unguessable, and safe in URLs. */
export function randomName(bytes = 32): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return btoa(String.fromCharCode(...random))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

import type { Clock } from '@toolyard/protocol';
import { defined, isStorageFault, ToolyardError } from '@toolyard/protocol';
import { signInRequiredFailure } from './auth-failure.ts';
import type { AuthStore } from './auth-store.ts';
import { clientKey } from './client-identity.ts';
import { readProofKey } from './dpop-keys.ts';
import type { HopLog } from './hops.ts';
import type { StoredTokens } from './stored-tokens.ts';
import { readTokens, tokensKey, withTokenResponse } from './stored-tokens.ts';
import type { TokenRequest } from './token-request.ts';
import { requestToken, TokenRefused } from './token-request.ts';

/** How long somebody who renews tokens is believed to be alive, in milliseconds; longer than the request may take. */
const RENEWAL_MS = 30_000;
/** How often somebody who waits for another one's renewal looks, in milliseconds. */
const LOOK_MS = 50;
/** How long what could not be stored waits to be stored, in milliseconds. */
const KEEP_AGAIN_MS = 1_000;
/** A row that changes under us so often is not worth another try. */
const MOST_TRIES = 100;

export type TokenKeeperOptions = {
  serverId: string;
  /** Tokens for another address are none of ours. */
  serverUrl: string;
  /** The only issuer whose tokens count, if the owner has named one. */
  issuer: string | undefined;
  store: AuthStore;
  clock: Clock;
  hops: HopLog;
  /** Of the client, where it signs who it is. */
  privateKey: TokenRequest['privateKey'];
};

type Row = { tokens: StoredTokens; version: string };

/**
 * The tokens of one server. They are renewed by one at a time, whoever and in whichever process: a refresh token that
 * is used twice is, to many sign-in servers, a stolen one.
 */
export class TokenKeeper {
  readonly #options: TokenKeeperOptions;
  readonly #key: string;
  /** Null: there are none. Undefined: nobody has looked. */
  #known: Row | null | undefined;
  /** Renewed, and not stored yet: those that are stored are used up. */
  #unstored: Row | undefined;
  #renewing: Promise<StoredTokens> | undefined;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
    this.#key = tokensKey(options.serverId);
  }

  /** What was seen last; for a look that must not wait. */
  get known(): StoredTokens | undefined {
    return this.#known?.tokens;
  }

  async current(): Promise<StoredTokens | undefined> {
    if (this.#known === undefined || this.#unstored !== undefined) await this.reload();
    return this.known;
  }

  /** What is stored now: another process may have signed in, out, or renewed. */
  async reload(): Promise<StoredTokens | undefined> {
    if (this.#unstored !== undefined && !(await this.#keep(this.#unstored))) return this.known;
    const row = await this.#read();
    const tokens = row === undefined ? null : readTokens(row.value);
    this.#known =
      row === undefined || tokens === null || !this.#isOurs(tokens) ? null : { tokens, version: row.version };
    return this.known;
  }

  /** Puts tokens in the place of whatever is there: somebody has just signed in. */
  async save(tokens: StoredTokens): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const before = await this.#read();
      if (!(await this.#write(tokens, before?.version ?? null))) continue;
      this.#unstored = undefined;
      return;
    }
    throw busy(this.#options.serverId);
  }

  /** Forgets them. */
  async remove(): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const before = await this.#read();
      if (before === undefined || (await this.#options.store.remove(this.#key, before.version))) {
        this.#known = null;
        this.#unstored = undefined;
        return;
      }
    }
    throw busy(this.#options.serverId);
  }

  /**
   * Tokens that are newer than these: others if there are some by now, else renewed ones.
   *
   * @throws AuthFailure `needs_sign_in` where only a person can help; ToolyardError where the sign-in server does not
   * answer: then they stay as they are
   */
  renew(used: StoredTokens): Promise<StoredTokens> {
    this.#renewing ??= this.#renew(used).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(used: StoredTokens): Promise<StoredTokens> {
    const { serverId, clock } = this.#options;
    const me = randomName();
    for (let tries = 0; tries < RENEWAL_MS / LOOK_MS + MOST_TRIES; tries++) {
      const tokens = await this.reload();
      const row = this.#known;
      if (tokens === undefined || row === undefined || row === null) throw signInRequiredFailure(serverId);
      if (tokens.accessToken !== used.accessToken) return tokens;
      if (tokens.refreshToken === undefined) throw signInRequiredFailure(serverId, 'the last one has expired');
      if (tokens.renewal !== undefined && tokens.renewal.until > clock.now()) {
        await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
        continue;
      }
      const claim = { ...tokens, renewal: { by: me, until: clock.now() + RENEWAL_MS } };
      if (await this.#write(claim, row.version)) return this.#refresh(claim, tokens.refreshToken);
    }
    throw busy(serverId);
  }

  /** Only whoever holds the claim gets here. */
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
      // Somebody has signed in or out meanwhile: that counts.
      const other = await this.reload();
      if (other === undefined) throw signInRequiredFailure(serverId);
      return other;
    } catch (thrown) {
      if (!(thrown instanceof TokenRefused) || !isFinal(thrown)) {
        await this.#write(unclaimed, version);
        throw thrown instanceof TokenRefused ? refusedForNow(serverId) : thrown;
      }
      return await this.#lost(thrown, version);
    }
  }

  /** Stores what was renewed. False where the store fails: it counts here until it can be stored. */
  async #keep(row: Row): Promise<boolean> {
    try {
      await this.#write(row.tokens, row.version);
      this.#unstored = undefined;
      return true;
    } catch (thrown) {
      if (!isStorageFault(thrown)) throw thrown;
      if (this.#unstored === undefined) this.#keepSoon(this.#options.clock.now() + RENEWAL_MS);
      this.#unstored = this.#known = row;
      return false;
    }
  }

  /** Also where nobody asks: others who find the used up ones would use them a second time. */
  #keepSoon(until: number): void {
    const { clock } = this.#options;
    clock.after(KEEP_AGAIN_MS, () => {
      if (this.#unstored === undefined) return;
      const next = (): void => {
        if (this.#unstored !== undefined && clock.now() < until) this.#keepSoon(until);
      };
      void this.#keep(this.#unstored).then(next, next);
    });
  }

  /** The sign-in server does not know them any more. What somebody has written meanwhile stays. */
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
    throw signInRequiredFailure(serverId, 'the last one is no longer valid');
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
    return (
      tokens.serverUrl === serverUrl &&
      (issuer === undefined || tokens.issuer.replace(/\/$/, '') === issuer.replace(/\/$/, ''))
    );
  }
}

/** What asking again does not change (RFC 6749, 5.2); a sign-in server in trouble says other things. */
function isFinal({ error }: TokenRefused): boolean {
  return ['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_scope', 'invalid_dpop_proof'].includes(
    error,
  );
}

function refusedForNow(serverId: string): ToolyardError {
  return new ToolyardError({
    code: 'server_unreachable',
    message: `The sign-in to "${serverId}" could not be renewed: the sign-in server failed.`,
    hint: 'Try again; the log of the server tells what it said.',
    retryable: true,
  });
}

function busy(serverId: string): ToolyardError {
  return new ToolyardError({
    code: 'server_unreachable',
    message: `The sign-in to "${serverId}" is being changed from several places at once.`,
    hint: 'Try again.',
    retryable: true,
  });
}

/** Unguessable, and safe in addresses. */
export function randomName(bytes = 32): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return btoa(String.fromCharCode(...random))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

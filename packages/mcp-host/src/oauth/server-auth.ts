import { isDpopNonceChallenge } from '@modelcontextprotocol/client';
import type { Clock, Fetch } from '@toolyard/protocol';
import { defined, ToolyardError, say } from '@toolyard/protocol';
import { AuthFailure, insufficientScope, scopeDoesNotHelp, signInRequiredFailure } from './auth-failure.ts';
import type { AuthStore } from './auth-store.ts';
import type { Challenge } from './challenge.ts';
import { readChallenge } from './challenge.ts';
import type { ClientMetadata } from './client-identity.ts';
import { discoverSignInServer } from './discovery.ts';
import type { ProofKey } from './dpop-keys.ts';
import { readProofKey } from './dpop-keys.ts';
import { tokensByGrant } from './grants.ts';
import { HopLog } from './hops.ts';
import type { OAuthGrant, OAuthSettings } from './oauth-settings.ts';
import { joinScopes, needsMoreScopes } from './scopes.ts';
import type { SignInContext, SignInResponse, StartedSignIn, claimSignIn } from './sign-in.ts';
import { beginSignIn, finishSignIn, SIGN_IN_MS } from './sign-in.ts';
import type { SignInHealth } from './sign-in-health.ts';
import type { StoredTokens } from './stored-tokens.ts';
import { revokeTokens } from './revoke.ts';
import { isExpiring } from './stored-tokens.ts';
import { TokenKeeper } from './token-keeper.ts';

export type ServerAuthOptions = {
  serverId: string;
  serverUrl: string;
  settings: OAuthSettings;
  introduction: ClientMetadata;
  store: AuthStore;
  /** Used for the URLs that the server and its authorization server name. */
  fetch: Fetch;
  clock: Clock;
  note: (level: 'info' | 'warning', text: string) => void;
  onChange: () => void;
};

/**
 * The sign-in of one server: adds its token to every request, refreshes it, and reports when a user must sign in. A
 * request rejected for lack of a token was not executed and is repeated with a newer one.
 */
export class ServerAuth {
  readonly #options: ServerAuthOptions;
  readonly #hops: HopLog;
  readonly #keeper: TokenKeeper;
  readonly #context: SignInContext;
  /** The challenge of the last rejection. */
  #challenge: Challenge | undefined;
  /** Scopes it requires in addition to the granted ones. */
  #requiredScope: string | undefined;
  #pendingSignIn: { issuer: string; until: number } | undefined;
  #proof: { of: string; key: ProofKey } | undefined;
  #grantInProgress: Promise<StoredTokens> | undefined;
  /** The last token that was rejected, or that was checked already. */
  #rejected: string | undefined;

  constructor(options: ServerAuthOptions) {
    this.#options = options;
    const { serverId, serverUrl, settings, introduction, store, clock } = options;
    this.#hops = new HopLog(clock, options.fetch, (text) => options.note('info', text));
    const privateKey =
      settings.privateKey === undefined
        ? undefined
        : { pem: settings.privateKey, algorithm: settings.signingAlgorithm ?? 'ES256' };
    const { issuer } = settings;
    this.#context = { serverId, serverUrl, settings, introduction, store, clock, hops: this.#hops, privateKey };
    this.#keeper = new TokenKeeper({ serverId, serverUrl, issuer, store, clock, hops: this.#hops, privateKey });
  }

  /** Undefined unless something indicates that the server requires a sign-in. */
  health(): SignInHealth | undefined {
    const tokens = this.#keeper.known;
    const hops = this.#hops.entries();
    if (tokens === undefined && this.#challenge === undefined && hops.length === 0) return undefined;
    const issuer = tokens?.issuer ?? this.#pendingSignIn?.issuer;
    const wanted = this.#requiredScope ?? (tokens === undefined ? this.#challenge?.scope : undefined);
    const isPending = this.#pendingSignIn !== undefined && this.#pendingSignIn.until > this.#options.clock.now();
    return {
      state: isPending ? 'signing_in' : tokens === undefined ? 'signed_out' : 'signed_in',
      ...defined({ issuer }),
      ...(tokens?.scope === undefined ? {} : { scope: tokens.scope }),
      ...defined({ wanted }),
      hops,
    };
  }

  /**
   * A fetch that adds the token to requests to the server, and to no others.
   *
   * @throws AuthFailure from the returned fetch if a user must act
   */
  sign(fetch: Fetch): Fetch {
    // Another process may have signed in or out since the last connection.
    const loaded = this.#keeper.reload().catch(() => undefined);
    const { origin } = new URL(this.#options.serverUrl);
    return async (input, init = {}) => {
      if (new URL(input).origin !== origin) return fetch(input, init);
      await loaded;
      return this.#send(fetch, input, init);
    };
  }

  /** Returns the authorization URL. @throws ToolyardError */
  async begin(redirectUrl: string): Promise<StartedSignIn> {
    const { settings, serverId, onChange } = this.#options;
    if (settings.grant !== undefined) {
      throw new ToolyardError({
        code: 'conflict',
        message: say`"${serverId}" needs no sign-in: its configuration contains a grant with which Toolyard gets its tokens.`,
        hint: say`Reconnect; if that fails, see its log.`,
      });
    }
    this.#hops.begin();
    try {
      const server = await this.#discover();
      const known = await this.#keeper.reload();
      const wanted =
        this.#requiredScope === undefined ? this.#challenge?.scope : joinScopes(known?.asked, this.#requiredScope);
      const started = await beginSignIn(this.#context, server, redirectUrl, wanted);
      this.#pendingSignIn = { issuer: started.issuer, until: this.#options.clock.now() + SIGN_IN_MS };
      return started;
    } finally {
      onChange();
    }
  }

  /** @throws ToolyardError why the sign-in failed */
  async finish(pending: Awaited<ReturnType<typeof claimSignIn>>, response: SignInResponse): Promise<void> {
    const { serverId, serverUrl, onChange, note } = this.#options;
    this.#pendingSignIn = undefined;
    try {
      if (pending.serverUrl !== serverUrl) {
        throw new ToolyardError({
          code: 'conflict',
          message: say`The URL of "${serverId}" was changed during the sign-in, so the sign-in was discarded.`,
          hint: say`Sign in again.`,
        });
      }
      await this.#keeper.save(await finishSignIn(this.#context, pending, response));
      this.#requiredScope = undefined;
      note('info', 'Signed in.');
    } catch (thrown) {
      note('warning', ToolyardError.isInstance(thrown) ? thrown.message : 'The sign-in failed.');
      throw thrown;
    } finally {
      onChange();
    }
  }

  /** Deletes the tokens, and revokes them if the authorization server supports it; the client stays registered. */
  async signOut(): Promise<void> {
    this.#pendingSignIn = undefined;
    this.#requiredScope = undefined;
    const tokens = await this.#keeper.reload();
    await this.#keeper.remove();
    if (tokens !== undefined) await revokeTokens(this.#context, tokens);
    this.#options.onChange();
  }

  /** True, once, if another process has stored a token that was not tried here. */
  async isSignedInElsewhere(): Promise<boolean> {
    const stored = (await this.#keeper.reload())?.accessToken;
    const isNew = stored !== undefined && stored !== this.#rejected;
    this.#rejected = stored;
    return isNew;
  }

  async #send(fetch: Fetch, input: string | URL, init: RequestInit): Promise<Response> {
    const used = await this.#usableTokens();
    const response = await this.#sendWith(used, fetch, input, init);
    if (response.status === 401) {
      const newer = await this.#afterRejection(response, used);
      const second = await this.#sendWith(newer, fetch, input, init);
      if (second.status !== 401) return second;
      this.#rejected = newer.accessToken;
      await this.#noteChallenge(second);
      throw this.#options.settings.grant === undefined
        ? signInRequiredFailure(this.#options.serverId, say`it rejected the token`)
        : scopeDoesNotHelp(this.#options.serverId);
    }
    if (response.status !== 403) return response;
    const { error, scope } = readChallenge(response);
    if (error !== 'insufficient_scope') return response;
    const more = await this.#stepUp(response, used, scope);
    const second = await this.#sendWith(more, fetch, input, init);
    // Only one retry per request: some servers never accept.
    if (second.status !== 403) return second;
    await discard(second);
    throw scopeDoesNotHelp(this.#options.serverId);
  }

  /** The tokens for the next request, refreshed if they are about to expire. */
  async #usableTokens(): Promise<StoredTokens | undefined> {
    const { clock } = this.#options;
    const tokens = await this.#keeper.current();
    if (tokens?.refreshToken === undefined || !isExpiring(tokens, clock.now())) return tokens;
    this.#hops.begin();
    return this.#keeper.renew(tokens).catch((thrown: unknown) => {
      const isStillValid = tokens.expiresAt !== undefined && tokens.expiresAt > clock.now();
      return isStillValid && !(thrown instanceof AuthFailure) ? tokens : throwAuthFailure(thrown);
    });
  }

  async #sendWith(
    tokens: StoredTokens | undefined,
    fetch: Fetch,
    input: string | URL,
    init: RequestInit,
  ): Promise<Response> {
    if (tokens === undefined) return fetch(input, init);
    const headers = new Headers(init.headers);
    if (tokens.tokenType === 'Bearer') {
      headers.set('authorization', `Bearer ${tokens.accessToken}`);
      return fetch(input, { ...init, headers });
    }
    const session = (await this.#getProof(tokens)).session;
    const send = async (): Promise<Response> => {
      headers.set('authorization', `DPoP ${tokens.accessToken}`);
      const { accessToken } = tokens;
      headers.set('dpop', await session.buildProof({ htm: init.method ?? 'GET', htu: input, accessToken }));
      const response = await fetch(input, { ...init, headers });
      session.observeNonce(response, input);
      return response;
    };
    const response = await send();
    if (!isDpopNonceChallenge(response)) return response;
    await discard(response);
    return send();
  }

  async #getProof(tokens: StoredTokens): Promise<ProofKey> {
    const of = JSON.stringify(tokens.proofKey);
    if (this.#proof?.of === of) return this.#proof.key;
    const key = await readProofKey(tokens.proofKey);
    if (key === undefined) throw signInRequiredFailure(this.#options.serverId, 'the key of its token is missing');
    this.#proof = { of, key };
    return key;
  }

  /** Tokens other than the rejected ones. @throws AuthFailure if a user must sign in */
  async #afterRejection(response: Response, used: StoredTokens | undefined): Promise<StoredTokens> {
    const { serverId, settings } = this.#options;
    await this.#noteChallenge(response);
    this.#rejected = used?.accessToken;
    const stored = await this.#keeper.reload();
    if (stored !== undefined && stored.accessToken !== used?.accessToken) return stored;
    if (settings.grant !== undefined) return this.#byGrant(settings.grant, this.#challenge?.scope);
    if (stored === undefined) throw signInRequiredFailure(serverId);
    this.#hops.begin();
    return this.#keeper.renew(stored).catch(throwAuthFailure);
  }

  async #noteChallenge(response: Response): Promise<void> {
    this.#challenge = readChallenge(response);
    await discard(response);
  }

  async #stepUp(response: Response, used: StoredTokens | undefined, scope: string | undefined): Promise<StoredTokens> {
    const { serverId, settings, onChange } = this.#options;
    const { resourceMetadataUrl } = readChallenge(response);
    await discard(response);
    this.#rejected = used?.accessToken;
    // A newer token may have the scopes already.
    const stored = await this.#keeper.reload();
    if (stored !== undefined && used !== undefined && stored.accessToken !== used.accessToken) return stored;
    const had = joinScopes(used?.asked, used?.scope);
    if (!needsMoreScopes(scope, had)) throw scopeDoesNotHelp(serverId);
    this.#challenge = {
      wantsProof: this.#challenge?.wantsProof ?? false,
      ...defined({ resourceMetadataUrl }),
    };
    const wanted = joinScopes(had, scope);
    if (settings.grant !== undefined) return this.#byGrant(settings.grant, wanted);
    this.#requiredScope = wanted;
    onChange();
    throw insufficientScope(serverId, joinScopes(scope) ?? '');
  }

  #byGrant(grant: OAuthGrant, wanted: string | undefined): Promise<StoredTokens> {
    this.#grantInProgress ??= this.#grant(grant, wanted)
      .catch(throwAuthFailure)
      .finally(() => {
        this.#grantInProgress = undefined;
      });
    return this.#grantInProgress;
  }

  async #grant(grant: OAuthGrant, wanted: string | undefined): Promise<StoredTokens> {
    this.#hops.begin();
    const tokens = await tokensByGrant(this.#context, await this.#discover(), grant, wanted);
    await this.#keeper.save(tokens);
    this.#options.onChange();
    return tokens;
  }

  #discover() {
    const { serverId, serverUrl, settings } = this.#options;
    return discoverSignInServer({ serverId, serverUrl, settings, challenge: this.#challenge, hops: this.#hops });
  }
}

/** The request was rejected or not sent, so it was not executed. */
function throwAuthFailure(thrown: unknown): never {
  if (thrown instanceof AuthFailure || !ToolyardError.isInstance(thrown)) throw thrown;
  throw new AuthFailure(thrown.toJSON(), { cause: thrown });
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}

import type { Clock, Fetch } from '@toolyard/protocol';
import { canonicalJson, ToolyardError, say } from '@toolyard/protocol';
import { shortHash } from '../values/hash.ts';
import type { HostedConfig } from './hosted-config.ts';
import { hostedIdentity, getTitle } from './hosted-config.ts';
import type { HostedInstance, InstanceState, ServiceContext } from './klavis.ts';
import { createInstance, deleteInstance, inspectInstance } from './klavis.ts';
import { createConfigError } from '../values/config-error.ts';

/** The stored data of a created server. Its URL is a secret: it gives access to the server. */
export type HostedRecord = HostedInstance & {
  /** True until the service reports a completed sign-in. */
  awaitsSignIn?: boolean;
};

/** Stores created servers, under keys without secrets. */
export type HostedStore = {
  get(key: string): HostedRecord | undefined | Promise<HostedRecord | undefined>;
  /** Returns false without a change if a record exists: of several processes only one adds it. */
  add(key: string, record: HostedRecord): boolean | Promise<boolean>;
  set(key: string, record: HostedRecord): unknown;
  delete(key: string): unknown;
  /**
   * For stores shared by several processes: prevents creating this server, even by processes that still list it, until
   * `wantAgain`.
   */
  end?(key: string): unknown;
  wantAgain?(key: string): unknown;
  hasEnded?(key: string): boolean | Promise<boolean>;
};

/** Keeps records until the process exits. */
export class HostedMap extends Map<string, HostedRecord> implements HostedStore {
  add(key: string, record: HostedRecord): boolean {
    if (this.has(key)) return false;
    this.set(key, record);
    return true;
  }
}

/** Options of {@link HostedServers}. */
export type HostedServersOptions = {
  fetch: Fetch;
  /** Default: a map, so that every process creates its own servers. */
  store?: HostedStore;
};

type Requester = { serverId: string; clock: Clock; log?(level: 'info', text: string): void };

/**
 * Servers hosted by a service: created on demand, remembered, and created again when they are gone.
 *
 * @example
 * const hosted = new HostedServers({ fetch });
 * const createTransport = createWebTransports({ fetch, hosted });
 */
export class HostedServers {
  readonly #fetch: Fetch;
  readonly #store: HostedStore;
  /** Concurrent requests for one server share its creation. */
  readonly #making = new Map<string, Promise<HostedRecord>>();

  constructor({ fetch, store = new HostedMap() }: HostedServersOptions) {
    this.#fetch = fetch;
    this.#store = store;
  }

  /**
   * The server's URL; creates the server if needed. @throws ToolyardError, also `needs_sign_in` with the sign-in URL
   */
  async open(config: HostedConfig, requester: Requester): Promise<HostedInstance> {
    if (await this.#hasEnded(config)) throw createEndedError(config, requester);
    const known = await this.#store.get(getKey(config));
    if (known !== undefined && known.awaitsSignIn !== true) return this.#current(config, requester, known);
    const record = known ?? (await this.#make(config, requester));
    return this.#checked(config, requester, record);
  }

  /**
   * A known server with the URL that it has now. The service creates one server per user, so asking it to create the
   * server again returns its current URL; a service that does not answer leaves the known one in use.
   */
  async #current(config: HostedConfig, requester: Requester, known: HostedRecord): Promise<HostedInstance> {
    const asked = await createInstance(config, this.#context(requester)).catch(() => undefined);
    if (asked === undefined || (asked.instanceId === known.instanceId && asked.url === known.url)) return known;
    if (asked.instanceId !== known.instanceId) {
      const state = await inspectInstance(config, this.#context(requester), known.instanceId).catch(() => undefined);
      if (state?.kind !== 'gone') {
        await this.#deleteSurplus(config, requester, asked, known);
        return known;
      }
      requester.log?.('info', 'The hosted server was gone; its service created another server.');
    } else requester.log?.('info', 'The hosted server has another URL now.');
    await this.#store.set(getKey(config), asked);
    return asked;
  }

  /**
   * Replaces a server that no longer responds: returns a new one if it is gone, or undefined if the service still has
   * it.
   *
   * @throws as {@link HostedServers.open} does
   */
  async replaceGone(
    config: HostedConfig,
    requester: Requester,
    stale: HostedInstance,
  ): Promise<HostedInstance | undefined> {
    const state = await inspectInstance(config, this.#context(requester), stale.instanceId);
    if (state.kind === 'needs_sign_in') throw createSignInRequiredError(config, requester, state);
    if (state.kind === 'there') return undefined;
    const known = await this.#store.get(getKey(config));
    // Another process has replaced it already.
    if (known !== undefined && known.instanceId !== stale.instanceId) return known;
    if (await this.#hasEnded(config)) throw createEndedError(config, requester);
    return this.#checked(config, requester, await this.#make(config, requester, stale));
  }

  /** Deletes a server and its sign-ins at the service. @throws ToolyardError */
  async remove(config: HostedConfig, requester: Requester): Promise<void> {
    await this.#store.end?.(getKey(config));
    const known = await this.#store.get(getKey(config));
    if (known === undefined) return;
    await deleteInstance(config, this.#context(requester), known.instanceId);
    await this.#store.delete(getKey(config));
  }

  /** Whether both configurations refer to the same server at the service. */
  isSame(one: HostedConfig, other: HostedConfig): boolean {
    return getKey(one) === getKey(other);
  }

  /** Allows creating a server again that was removed. */
  async wantAgain(config: HostedConfig): Promise<void> {
    await this.#store.wantAgain?.(getKey(config));
  }

  async #hasEnded(config: HostedConfig): Promise<boolean> {
    return (await this.#store.hasEnded?.(getKey(config))) === true;
  }

  #make(config: HostedConfig, requester: Requester, stale?: HostedInstance): Promise<HostedRecord> {
    const key = getKey(config);
    const making = this.#making.get(key);
    if (making !== undefined) return making;
    const created = createInstance(config, this.#context(requester))
      .then((instance) => this.#remembered(config, requester, { ...instance, awaitsSignIn: true }, stale))
      .finally(() => this.#making.delete(key));
    this.#making.set(key, created);
    return created;
  }

  /** Another process with the same store may have created one at the same time: one is kept, the other is deleted. */
  async #remembered(
    config: HostedConfig,
    requester: Requester,
    created: HostedRecord,
    stale: HostedInstance | undefined,
  ): Promise<HostedRecord> {
    const key = getKey(config);
    if (stale !== undefined && (await this.#store.get(key))?.instanceId === stale.instanceId) {
      await this.#store.delete(key);
    }
    const kept = (await this.#store.add(key, created)) ? created : await this.#store.get(key);
    // A remover marks the key before it looks for a record, so either this process or the remover sees the other.
    if (await this.#hasEnded(config)) {
      await this.#deleteSurplus(config, requester, created, undefined);
      if (kept === created) await this.#store.delete(key);
      throw createEndedError(config, requester);
    }
    if (kept === undefined) {
      // The record became unreadable, or was removed just now.
      await this.#store.set(key, created);
      return created;
    }
    if (kept !== created) await this.#deleteSurplus(config, requester, created, kept);
    return kept;
  }

  /** A failure to delete the surplus server does not affect the one that is kept. A service may return that one twice. */
  async #deleteSurplus(
    config: HostedConfig,
    requester: Requester,
    { instanceId }: HostedInstance,
    kept: HostedInstance | undefined,
  ): Promise<void> {
    if (instanceId === kept?.instanceId) return;
    await deleteInstance(config, this.#context(requester), instanceId).catch(() => undefined);
  }

  /** Without a sign-in the server would fail at every call. */
  async #checked(config: HostedConfig, requester: Requester, record: HostedRecord): Promise<HostedInstance> {
    const state = await inspectInstance(config, this.#context(requester), record.instanceId);
    if (state.kind === 'needs_sign_in') throw createSignInRequiredError(config, requester, state);
    if (state.kind === 'gone') {
      await this.#store.delete(getKey(config));
      throw new ToolyardError({
        code: 'server_closed',
        message: say`${getTitle(config)} no longer has the server "${requester.serverId}".`,
        hint: say`Reconnect to create another one.`,
        retryable: true,
      });
    }
    const { url, instanceId } = record;
    await this.#store.set(getKey(config), { url, instanceId });
    return { url, instanceId };
  }

  #context(requester: Requester): ServiceContext {
    return { ...requester, fetch: this.#fetch };
  }
}

/** The configuration of a process that lists a removed server is outdated. */
function createEndedError(config: HostedConfig, { serverId }: Requester): ToolyardError {
  return createConfigError(
    say`The server "${serverId}" was removed and deleted at ${getTitle(config)}, but the mcp.json of this process still lists it.`,
    say`Update the mcp.json of this process. To use the server again, add it again on the page, or save it there again.`,
  );
}

function getKey(config: HostedConfig): string {
  return `hosted-${shortHash(canonicalJson(hostedIdentity(config)))}`;
}

function createSignInRequiredError(
  config: HostedConfig,
  { serverId }: Requester,
  { signInUrl }: Extract<InstanceState, { kind: 'needs_sign_in' }>,
): ToolyardError {
  const title = getTitle(config);
  return new ToolyardError({
    code: 'needs_sign_in',
    message: say`The server "${serverId}" (${config.server}, hosted by ${title}) requires a sign-in.`,
    hint:
      signInUrl === undefined
        ? say`Sign in at ${title}, then reconnect.`
        : say`Open ${signInUrl} and sign in, then reconnect.`,
  });
}

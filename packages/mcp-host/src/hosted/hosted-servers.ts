import type { Clock, Fetch } from '@toolyard/protocol';
import { canonicalJson, ToolyardError } from '@toolyard/protocol';
import { shortHash } from '../values/hash.ts';
import type { HostedConfig } from './hosted-config.ts';
import { hostedIdentity, titleOf } from './hosted-config.ts';
import type { HostedInstance, InstanceState, ServiceContext } from './klavis.ts';
import { createInstance, deleteInstance, inspectInstance } from './klavis.ts';

/** What is remembered of a server that was made. Its address is a secret: whoever has it can use the server. */
export type HostedRecord = HostedInstance & {
  /** True until somebody was seen to have signed in. */
  awaitsSignIn?: boolean;
};

/** Where made servers are remembered, by a key that holds no secret. */
export type HostedStore = {
  get(key: string): HostedRecord | undefined | Promise<HostedRecord | undefined>;
  /** False, and nothing done, where there is one by now: of several processes one adds it. */
  add(key: string, record: HostedRecord): boolean | Promise<boolean>;
  set(key: string, record: HostedRecord): unknown;
  delete(key: string): unknown;
  /** Where several processes share it: none is made from now on, whoever still lists it, until it is wanted again. */
  end?(key: string): unknown;
  wantAgain?(key: string): unknown;
  hasEnded?(key: string): boolean | Promise<boolean>;
};

/** Remembers them as long as the process lives. */
export class HostedMap extends Map<string, HostedRecord> implements HostedStore {
  add(key: string, record: HostedRecord): boolean {
    if (this.has(key)) return false;
    this.set(key, record);
    return true;
  }
}

export type HostedServersOptions = {
  fetch: Fetch;
  /** Default: a map, so that servers are made anew by every process. */
  store?: HostedStore;
};

type Asker = { serverId: string; clock: Clock };

/** The servers that services host for us: made when they are wanted, remembered, made anew when they are gone. */
export class HostedServers {
  readonly #fetch: Fetch;
  readonly #store: HostedStore;
  /** Nobody has two made where one is wanted. */
  readonly #making = new Map<string, Promise<HostedRecord>>();

  constructor({ fetch, store = new HostedMap() }: HostedServersOptions) {
    this.#fetch = fetch;
    this.#store = store;
  }

  /** Where the server is; it is made if there is none. @throws ToolyardError, also `needs_sign_in` with the address for that */
  async open(config: HostedConfig, asker: Asker): Promise<HostedInstance> {
    if (await this.#hasEnded(config)) throw ended(config, asker);
    const known = await this.#store.get(keyOf(config));
    if (known !== undefined && known.awaitsSignIn !== true) return known;
    const record = known ?? (await this.#make(config, asker));
    return this.#checked(config, asker, record);
  }

  /**
   * Says what became of a server that no longer answers as one: gives one made anew if it is gone, and undefined if
   * the service still has it.
   *
   * @throws as {@link HostedServers.open} does
   */
  async replaceGone(config: HostedConfig, asker: Asker, stale: HostedInstance): Promise<HostedInstance | undefined> {
    const state = await inspectInstance(config, this.#context(asker), stale.instanceId);
    if (state.kind === 'needs_sign_in') throw signInWanted(config, asker, state);
    if (state.kind === 'there') return undefined;
    const known = await this.#store.get(keyOf(config));
    // Somebody else has noticed first.
    if (known !== undefined && known.instanceId !== stale.instanceId) return known;
    if (await this.#hasEnded(config)) throw ended(config, asker);
    return this.#checked(config, asker, await this.#make(config, asker, stale));
  }

  /** Gives a server back to its service, with the sign-ins it has there. @throws ToolyardError */
  async remove(config: HostedConfig, asker: Asker): Promise<void> {
    await this.#store.end?.(keyOf(config));
    const known = await this.#store.get(keyOf(config));
    if (known === undefined) return;
    await deleteInstance(config, this.#context(asker), known.instanceId);
    await this.#store.delete(keyOf(config));
  }

  /** Whether these are one server at their service. */
  isSame(one: HostedConfig, other: HostedConfig): boolean {
    return keyOf(one) === keyOf(other);
  }

  /** It was given back, and somebody wants it all the same. */
  async wantAgain(config: HostedConfig): Promise<void> {
    await this.#store.wantAgain?.(keyOf(config));
  }

  async #hasEnded(config: HostedConfig): Promise<boolean> {
    return (await this.#store.hasEnded?.(keyOf(config))) === true;
  }

  #make(config: HostedConfig, asker: Asker, stale?: HostedInstance): Promise<HostedRecord> {
    const key = keyOf(config);
    const making = this.#making.get(key);
    if (making !== undefined) return making;
    const made = createInstance(config, this.#context(asker))
      .then((instance) => this.#remembered(config, asker, { ...instance, awaitsSignIn: true }, stale))
      .finally(() => this.#making.delete(key));
    this.#making.set(key, made);
    return made;
  }

  /** Another process over the same store may have had one made at the same time: one stands, the other is given back. */
  async #remembered(
    config: HostedConfig,
    asker: Asker,
    made: HostedRecord,
    stale: HostedInstance | undefined,
  ): Promise<HostedRecord> {
    const key = keyOf(config);
    if (stale !== undefined && (await this.#store.get(key))?.instanceId === stale.instanceId) {
      await this.#store.delete(key);
    }
    const stands = (await this.#store.add(key, made)) ? made : await this.#store.get(key);
    // Whoever removes it says so first and looks for it then: one of the two sees the other.
    if (await this.#hasEnded(config)) {
      await this.#giveBack(config, asker, made);
      if (stands === made) await this.#store.delete(key);
      throw ended(config, asker);
    }
    if (stands === undefined) {
      // One that cannot be read any more, or was removed just now.
      await this.#store.set(key, made);
      return made;
    }
    if (stands !== made) await this.#giveBack(config, asker, made);
    return stands;
  }

  /** What cannot be given back just now does no harm to the one that stands. */
  async #giveBack(config: HostedConfig, asker: Asker, { instanceId }: HostedInstance): Promise<void> {
    await deleteInstance(config, this.#context(asker), instanceId).catch(() => undefined);
  }

  /** A server nobody has signed in to would be there and fail at every call. */
  async #checked(config: HostedConfig, asker: Asker, record: HostedRecord): Promise<HostedInstance> {
    const state = await inspectInstance(config, this.#context(asker), record.instanceId);
    if (state.kind === 'needs_sign_in') throw signInWanted(config, asker, state);
    if (state.kind === 'gone') {
      await this.#store.delete(keyOf(config));
      throw new ToolyardError({
        code: 'server_closed',
        message: `${titleOf(config)} no longer has the server "${asker.serverId}".`,
        hint: 'Connect again: another one is made.',
        retryable: true,
      });
    }
    const { url, instanceId } = record;
    await this.#store.set(keyOf(config), { url, instanceId });
    return { url, instanceId };
  }

  #context(asker: Asker): ServiceContext {
    return { ...asker, fetch: this.#fetch };
  }
}

/** Who lists a server that was given back elsewhere has an old list. */
function ended(config: HostedConfig, { serverId }: Asker): ToolyardError {
  return new ToolyardError({
    code: 'bad_config',
    message: `The server "${serverId}" was removed, and given back to ${titleOf(config)}; the mcp.json of this process still lists it.`,
    hint: 'Bring the present mcp.json to this process. If the server is wanted again, add it again in the page, or save it once more there.',
  });
}

function keyOf(config: HostedConfig): string {
  return `hosted-${shortHash(canonicalJson(hostedIdentity(config)))}`;
}

function signInWanted(
  config: HostedConfig,
  { serverId }: Asker,
  { signInUrl }: Extract<InstanceState, { kind: 'needs_sign_in' }>,
): ToolyardError {
  const title = titleOf(config);
  return new ToolyardError({
    code: 'needs_sign_in',
    message: `The server "${serverId}" (${config.server}, hosted by ${title}) asks for a sign-in.`,
    hint:
      signInUrl === undefined
        ? `Sign in on the pages of ${title}, then connect again.`
        : `Open ${signInUrl} and sign in, then connect again.`,
  });
}

import type { Clock, McpFollowedResources } from '@toolyard/protocol';
import { toErrorInfo, ToolyardError, say } from '@toolyard/protocol';

/** How often a client renews its subscriptions, and how long they last without that. Milliseconds. */
const RENEW_AFTER_MS = 60_000;
const LIFETIME_MS = 150_000;
const MAX_FOLLOWED = 1_000;

export type ResourceFollowsOptions = {
  clock: Clock;
  /** Subscribes to a resource; the returned function unsubscribes. */
  follow(serverId: string, uri: string, listener: () => void): Promise<() => Promise<void>>;
  /** Announces an update of a resource of this server. */
  changed(serverId: string): void;
};

type Followed = { update: number; until: number; end: Promise<() => Promise<void>> };

/**
 * Subscriptions of clients over HTTP, shared by all of them. Each has a version that changes with every update, so that a
 * client which missed an announcement notices it when it renews.
 */
export class ResourceFollows {
  readonly #options: ResourceFollowsOptions;
  /** Differs from that of other processes: a new subscription may have missed updates. */
  readonly #epoch: string;
  readonly #followed = new Map<string, Followed>();
  #updates = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(options: ResourceFollowsOptions) {
    this.#options = options;
    this.#epoch = options.clock.now().toString(36);
  }

  /** Subscribes to these resources or renews their subscriptions. */
  async follow(serverId: string, uris: readonly string[]): Promise<McpFollowedResources> {
    const items = await Promise.all(uris.map((uri) => this.#followOne(serverId, uri)));
    return { renewAfterMs: RENEW_AFTER_MS, items };
  }

  /** The server was removed or replaced: its subscriptions are made again with the next renewal. */
  forget(serverId: string): void {
    for (const key of [...this.#followed.keys()]) if (key.startsWith(`${serverId}/`)) this.#end(key);
  }

  close(): void {
    this.#cancelTimer?.();
    this.#followed.clear();
  }

  async #followOne(serverId: string, uri: string): Promise<McpFollowedResources['items'][number]> {
    // Server ids contain no slash.
    const key = `${serverId}/${uri}`;
    try {
      const followed = this.#followed.get(key) ?? this.#start(key, serverId, uri);
      followed.until = this.#options.clock.monotonic() + LIFETIME_MS;
      await followed.end;
      return { uri, version: `${this.#epoch}.${followed.update}` };
    } catch (thrown) {
      this.#followed.delete(key);
      return { uri, version: null, error: toErrorInfo(thrown) };
    }
  }

  #start(key: string, serverId: string, uri: string): Followed {
    if (this.#followed.size >= MAX_FOLLOWED) {
      throw new ToolyardError({
        code: 'too_large',
        message: say`Toolyard follows at most ${MAX_FOLLOWED} resources at the same time.`,
        hint: say`Close pages that show resources.`,
        retryable: true,
      });
    }
    const options = this.#options;
    const listener = (): void => {
      followed.update = ++this.#updates;
      options.changed(serverId);
    };
    const followed: Followed = { update: ++this.#updates, until: 0, end: options.follow(serverId, uri, listener) };
    this.#followed.set(key, followed);
    this.#cancelTimer ??= options.clock.after(LIFETIME_MS, () => this.#sweep());
    return followed;
  }

  #end(key: string): void {
    const followed = this.#followed.get(key);
    this.#followed.delete(key);
    // A rejected subscription was reported to the client.
    followed?.end.then((end) => end()).catch(() => undefined);
  }

  #sweep(): void {
    const { clock } = this.#options;
    this.#cancelTimer = undefined;
    for (const [key, { until }] of this.#followed) if (until <= clock.monotonic()) this.#end(key);
    if (this.#followed.size > 0) this.#cancelTimer = clock.after(LIFETIME_MS, () => this.#sweep());
  }
}

import type { Client, McpSubscription } from '@modelcontextprotocol/client';
import type { Clock } from '@toolyard/protocol';
import type { OfferKind } from '../catalogue/catalogue.ts';
import { reconnectWait } from '../host/server-states.ts';
import type { Era } from '../types.ts';

/** Servers announce changes in bursts; one refresh after the burst is enough. Milliseconds. */
const DEBOUNCE_MS = 100;
/** An announcement this soon after a refresh may have been caused by it. Milliseconds. */
const CALM_MS = 5_000;
/** This many refreshes in a row run without delay; further ones wait longer and longer. */
const UNDELAYED_REFRESHES = 5;
const MAX_DELAY_MS = 30_000;
/** How often in a row a modern server's notification stream is reopened. */
const MAX_REOPENINGS = 10;

export type ChangeWatchOptions = {
  client: Client;
  era: Era;
  clock: Clock;
  /** Lists this kind again; never throws. */
  refresh: (kind: OfferKind) => Promise<void>;
  /** A subscribed resource has changed. */
  onUpdated: (uri: string) => void;
  /** The request for notifications failed. */
  onFailed: (thrown: unknown) => void;
  warn: (text: string) => void;
};

/**
 * Receives change notifications: legacy servers send them by themselves, modern ones on a stream the client opens. Per kind
 * one refresh runs at a time; a notification during it schedules another one.
 */
export class ChangeWatch {
  readonly #options: ChangeWatchOptions;
  readonly #refreshers: Record<OfferKind, Refresher>;
  readonly #followed = new Set<string>();
  #stream: McpSubscription | undefined;
  /** Counts the streams requested; an outdated one that opens late is closed. */
  #generation = 0;
  #reopenings = 0;
  #cancelTimer: () => void = () => undefined;
  #stopped = false;

  constructor(options: ChangeWatchOptions) {
    this.#options = options;
    const { client, clock, refresh } = options;
    this.#refreshers = {
      tools: new Refresher(clock, () => refresh('tools')),
      resources: new Refresher(clock, () => refresh('resources')),
      prompts: new Refresher(clock, () => refresh('prompts')),
    };
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#refreshers.tools.ask());
    client.setNotificationHandler('notifications/resources/list_changed', () => this.#refreshers.resources.ask());
    client.setNotificationHandler('notifications/prompts/list_changed', () => this.#refreshers.prompts.ask());
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => options.onUpdated(params.uri));
    this.#listen();
  }

  /** Modern servers: the resources to receive updates of. Legacy ones get a subscribe request for each. */
  follow(uris: Iterable<string>): void {
    this.#followed.clear();
    for (const uri of uris) this.#followed.add(uri);
    this.#listen();
  }

  /** Refreshes everything because notifications may have been missed. */
  refreshAll(): void {
    const { client, onUpdated } = this.#options;
    const capabilities = client.getServerCapabilities();
    if (capabilities?.tools !== undefined) this.#refreshers.tools.ask();
    if (capabilities?.resources !== undefined) this.#refreshers.resources.ask();
    if (capabilities?.prompts !== undefined) this.#refreshers.prompts.ask();
    for (const uri of this.#followed) onUpdated(uri);
  }

  /** Refreshes what changed between the initial listing and the opening of the stream. */
  refreshAnnounced(): void {
    const { tools, resources, prompts } = this.#options.client.getServerCapabilities() ?? {};
    if (tools?.listChanged === true) this.#refreshers.tools.ask();
    if (resources?.listChanged === true) this.#refreshers.resources.ask();
    if (prompts?.listChanged === true) this.#refreshers.prompts.ask();
  }

  /** Resolves when no announced change of the tools is pending; undefined if none is pending now. */
  toolsUpToDate(): Promise<void> | undefined {
    return this.#refreshers.tools.now();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
    for (const refresher of Object.values(this.#refreshers)) refresher.stop();
    void this.#stream?.close();
  }

  /**
   * One stream carries all notifications. A changed filter opens a new stream; the old one is closed once the new one
   * is open.
   */
  #listen(): void {
    const { client, era, warn } = this.#options;
    const filter = this.#filter();
    if (this.#stopped || era !== 'modern') return;
    const generation = ++this.#generation;
    const before = this.#stream;
    if (Object.keys(filter).length === 0) return void before?.close();
    client.listen(filter).then(
      (opened) => {
        void before?.close();
        if (this.#stopped || generation !== this.#generation) return void opened.close();
        this.#stream = opened;
        void opened.closed.then((by) => {
          if (this.#stopped || by === 'local' || generation !== this.#generation) return;
          this.#stream = undefined;
          this.#reopen();
        });
      },
      (thrown: unknown) => {
        if (this.#stopped) return;
        warn('The request for change notifications failed.');
        this.#options.onFailed(thrown);
      },
    );
  }

  #filter(): Parameters<Client['listen']>[0] {
    const capabilities = this.#options.client.getServerCapabilities();
    return {
      ...(capabilities?.tools?.listChanged === true ? { toolsListChanged: true } : {}),
      ...(capabilities?.resources?.listChanged === true ? { resourcesListChanged: true } : {}),
      ...(capabilities?.prompts?.listChanged === true ? { promptsListChanged: true } : {}),
      ...(this.#followed.size === 0 ? {} : { resourceSubscriptions: [...this.#followed] }),
    };
  }

  /** Changes made meanwhile are not announced again, so everything is refreshed. */
  #reopen(): void {
    const { clock, warn } = this.#options;
    if (this.#reopenings >= MAX_REOPENINGS) {
      warn('The server keeps ending the stream of change notifications; Toolyard no longer reopens it.');
      return;
    }
    this.#cancelTimer = clock.after(reconnectWait(this.#reopenings++, 0), () => {
      this.#listen();
      this.refreshAll();
    });
  }
}

/** Runs one refresh after each burst of notifications, and backs off when they never stop. */
class Refresher {
  readonly #clock: Clock;
  readonly #refresh: () => Promise<void>;
  #cancelTimer: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  #finishedAt = Number.NEGATIVE_INFINITY;
  /** Refreshes that followed each other immediately. */
  #inARow = 0;

  constructor(clock: Clock, refresh: () => Promise<void>) {
    this.#clock = clock;
    this.#refresh = refresh;
  }

  ask(): void {
    if (!this.#stopped) this.#cancelTimer ??= this.#clock.after(this.#delay(), () => this.#run());
  }

  /** Skips the delay; undefined if nothing is pending. */
  now(): Promise<void> | undefined {
    if (this.#cancelTimer !== undefined) {
      this.#cancelTimer();
      this.#run();
    }
    return this.#running;
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer?.();
  }

  #delay(): number {
    const isCalm = this.#clock.monotonic() - this.#finishedAt > CALM_MS;
    this.#inARow = isCalm ? 0 : this.#inARow + 1;
    return Math.min(MAX_DELAY_MS, DEBOUNCE_MS * 2 ** Math.max(0, this.#inARow - UNDELAYED_REFRESHES));
  }

  #run(): void {
    this.#cancelTimer = undefined;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#running = this.#refresh().finally(() => {
      this.#running = undefined;
      this.#finishedAt = this.#clock.monotonic();
      if (!this.#again) return;
      this.#again = false;
      this.ask();
    });
  }
}

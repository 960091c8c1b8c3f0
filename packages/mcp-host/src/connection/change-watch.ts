import type { Client, McpSubscription } from '@modelcontextprotocol/client';
import type { Clock } from '@toolyard/protocol';
import type { OfferKind } from '../catalogue/catalogue.ts';
import { reconnectWait } from '../host/server-states.ts';
import type { Era } from '../types.ts';

/** Servers announce changes in bursts; one look after the burst is enough. Milliseconds. */
const DEBOUNCE_MS = 100;
/** A server that announces again within this time after a look may do so because of the look. Milliseconds. */
const AT_ONCE_MS = 5_000;
/** So many looks in a row are made readily; before more of them the pauses grow. */
const READY_LOOKS = 5;
const LONGEST_PAUSE_MS = 30_000;
/** How often in a row a modern server's stream of announcements is opened again. */
const MOST_REOPENINGS = 10;

export type ChangeWatchOptions = {
  client: Client;
  era: Era;
  clock: Clock;
  /** Lists this kind again; never throws. */
  refresh: (kind: OfferKind) => Promise<void>;
  /** The contents of a resource somebody follows have changed. */
  onUpdated: (uri: string) => void;
  /** The server was asked to announce what changes, and that failed. */
  onFailed: (thrown: unknown) => void;
  warn: (text: string) => void;
};

/**
 * Hears what changes on a server: legacy ones announce it unasked, modern ones to whoever listens. Of one kind one
 * look runs at a time, and an announcement during it leads to another one.
 */
export class ChangeWatch {
  readonly #options: ChangeWatchOptions;
  readonly #looks: Record<OfferKind, Look>;
  readonly #followed = new Set<string>();
  #stream: McpSubscription | undefined;
  /** Grows with every stream wanted; an older one that opens late is closed. */
  #generation = 0;
  #barren = 0;
  #callOff: () => void = () => undefined;
  #stopped = false;

  constructor(options: ChangeWatchOptions) {
    this.#options = options;
    const { client, clock, refresh } = options;
    this.#looks = {
      tools: new Look(clock, () => refresh('tools')),
      resources: new Look(clock, () => refresh('resources')),
      prompts: new Look(clock, () => refresh('prompts')),
    };
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#looks.tools.ask());
    client.setNotificationHandler('notifications/resources/list_changed', () => this.#looks.resources.ask());
    client.setNotificationHandler('notifications/prompts/list_changed', () => this.#looks.prompts.ask());
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => options.onUpdated(params.uri));
    this.#listen();
  }

  /** Modern servers: which resources to hear of. (Legacy ones are told by a request for each.) */
  follow(uris: Iterable<string>): void {
    this.#followed.clear();
    for (const uri of uris) this.#followed.add(uri);
    this.#listen();
  }

  /** Announcements may have been missed. */
  lookAgain(): void {
    const { client, onUpdated } = this.#options;
    const offered = client.getServerCapabilities();
    if (offered?.tools !== undefined) this.#looks.tools.ask();
    if (offered?.resources !== undefined) this.#looks.resources.ask();
    if (offered?.prompts !== undefined) this.#looks.prompts.ask();
    for (const uri of this.#followed) onUpdated(uri);
  }

  /** What the server said before its stream stood reached nobody, while its lists were read already. */
  lookAtAnnounced(): void {
    const { tools, resources, prompts } = this.#options.client.getServerCapabilities() ?? {};
    if (tools?.listChanged === true) this.#looks.tools.ask();
    if (resources?.listChanged === true) this.#looks.resources.ask();
    if (prompts?.listChanged === true) this.#looks.prompts.ask();
  }

  /** Resolves when no announced change of the tools is left that was not looked at; undefined where that is so now. */
  whenToolsAreKnown(): Promise<void> | undefined {
    return this.#looks.tools.now();
  }

  stop(): void {
    this.#stopped = true;
    this.#callOff();
    for (const look of Object.values(this.#looks)) look.stop();
    void this.#stream?.close();
  }

  /** One stream carries all that is wanted; another wish is another stream, and the old one ends when it stands. */
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
        warn('The server could not be asked to announce what changes.');
        this.#options.onFailed(thrown);
      },
    );
  }

  #filter(): Parameters<Client['listen']>[0] {
    const offered = this.#options.client.getServerCapabilities();
    return {
      ...(offered?.tools?.listChanged === true ? { toolsListChanged: true } : {}),
      ...(offered?.resources?.listChanged === true ? { resourcesListChanged: true } : {}),
      ...(offered?.prompts?.listChanged === true ? { promptsListChanged: true } : {}),
      ...(this.#followed.size === 0 ? {} : { resourceSubscriptions: [...this.#followed] }),
    };
  }

  /** What was announced meanwhile is not announced again: everything is looked at. */
  #reopen(): void {
    const { clock, warn } = this.#options;
    if (this.#barren >= MOST_REOPENINGS) {
      warn('The server keeps ending the stream that announces what changes; it is no longer asked for.');
      return;
    }
    this.#callOff = clock.after(reconnectWait(this.#barren++, 0), () => {
      this.#listen();
      this.lookAgain();
    });
  }
}

/** One look after each burst of announcements; a server that announces without end is looked at less and less. */
class Look {
  readonly #clock: Clock;
  readonly #refresh: () => Promise<void>;
  #callOff: (() => void) | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Looks that followed at once upon another. */
  #inARow = 0;

  constructor(clock: Clock, refresh: () => Promise<void>) {
    this.#clock = clock;
    this.#refresh = refresh;
  }

  ask(): void {
    if (!this.#stopped) this.#callOff ??= this.#clock.after(this.#pause(), () => this.#look());
  }

  /** Does not wait for the pause; undefined where nothing is due. */
  now(): Promise<void> | undefined {
    if (this.#callOff !== undefined) {
      this.#callOff();
      this.#look();
    }
    return this.#looking;
  }

  stop(): void {
    this.#stopped = true;
    this.#callOff?.();
  }

  #pause(): number {
    const isCalm = this.#clock.monotonic() - this.#lookedAt > AT_ONCE_MS;
    this.#inARow = isCalm ? 0 : this.#inARow + 1;
    return Math.min(LONGEST_PAUSE_MS, DEBOUNCE_MS * 2 ** Math.max(0, this.#inARow - READY_LOOKS));
  }

  #look(): void {
    this.#callOff = undefined;
    if (this.#looking !== undefined) {
      this.#again = true;
      return;
    }
    this.#looking = this.#refresh().finally(() => {
      this.#looking = undefined;
      this.#lookedAt = this.#clock.monotonic();
      if (!this.#again) return;
      this.#again = false;
      this.ask();
    });
  }
}

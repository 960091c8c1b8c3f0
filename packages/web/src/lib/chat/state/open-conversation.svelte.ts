import type { ConversationView } from '@toolyard/protocol';
import type { ApiError } from '../../api/error.ts';
import type { Api } from '../../api/client.ts';
import { MemberTurns } from '../../groups/member-turns.svelte.ts';
import { RunFollower } from '../../transcript/run-follower.ts';
import type { RunFollowerDeps } from '../../transcript/run-follower.ts';
import { keepTimes } from '../../transcript/known-times.ts';
import { isActive, openTranscript, prependPage } from '../../transcript/transcript.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import { ChatQueue } from './chat-queue.svelte.ts';
import { toApiError } from '../../state/failure.ts';
import type { live as realLive } from '../../live/live.svelte.ts';

export type OpenConversationDeps = {
  api: Pick<Api, 'get' | 'post' | 'patch' | 'delete'>;
  live: Pick<typeof realLive, 'onRun' | 'onChanged' | 'onHello'>;
  readRun: RunFollowerDeps['read'];
  /** Calls back with the next frame. */
  soon: (work: () => void) => void;
};

export type LoadEarlier = { limit?: number; ready?: () => Promise<void> };

const EARLIER_PAGE = 60;
/** Changes come in bursts; one request covers all of them, after this delay in milliseconds. */
const REFRESH_AFTER_MS = 150;

/** The open conversation as on the server, updated by the live stream. */
export class OpenConversation {
  protected id: string | null = null;
  view: ConversationView | null = $state.raw(null);
  protected transcript: Transcript | null = $state.raw(null);
  loading = $state(false);
  loadingEarlier = $state(false);
  /** Why it could not be loaded. */
  error: ApiError | null = $state.raw(null);
  /** Why the answer in progress cannot be followed at the moment. */
  streamError: ApiError | null = $state.raw(null);
  /** A change is being sent that the server does not know yet, and that a reload would hide for a moment. */
  protected held = $state(false);
  /** Increases with every change that is sent: a view requested before may lack it. */
  protected changes = 0;
  readonly queue: ChatQueue;
  protected readonly turns: MemberTurns;
  /** Increases with every opened conversation: a response for an older one is discarded. */
  protected visit = 0;

  readonly #deps: OpenConversationDeps;
  readonly #follower: RunFollower;
  #opening: AbortController | null = null;
  #refreshing: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: OpenConversationDeps) {
    this.#deps = deps;
    this.queue = new ChatQueue(deps.api, () => this.id);
    this.#follower = new RunFollower({
      get: () => this.transcript,
      set: (transcript) => this.#follow(transcript),
      read: deps.readRun,
      soon: deps.soon,
      onProblem: (problem) => (this.streamError = problem),
    });
    this.turns = new MemberTurns({
      read: deps.readRun,
      soon: deps.soon,
      onProblem: (problem) => (this.streamError = problem),
    });
    deps.live.onRun((event) => {
      this.#follower.take(event);
      this.turns.take(event);
    });
    deps.live.onHello(() => {
      this.#follower.retry();
      this.turns.retry();
      this.#refreshSoon();
    });
    deps.live.onChanged(({ what, id }) => {
      if (id === undefined || id !== this.id) return;
      if (what === 'conversations' || what === 'interrupts' || what === 'translations') this.#refreshSoon();
      if (what === 'queue') void this.queue.load();
    });
  }

  async open(id: string): Promise<void> {
    this.leave();
    this.id = id;
    this.loading = true;
    const { visit } = this;
    this.#opening = new AbortController();
    try {
      const view = await this.#deps.api.get('/api/conversations/{id}', {
        params: { id },
        signal: this.#opening.signal,
      });
      if (visit === this.visit) this.showView(view);
    } catch (thrown) {
      if (visit === this.visit) this.error = toApiError(thrown);
    } finally {
      if (visit === this.visit) this.loading = false;
    }
  }

  protected leave(): void {
    this.visit += 1;
    this.#opening?.abort();
    clearTimeout(this.#refreshing);
    this.#follower.reset();
    this.turns.follow(null);
    this.queue.set([]);
    this.id = null;
    this.view = null;
    this.transcript = null;
    this.error = null;
    this.loading = false;
    this.loadingEarlier = false;
    this.held = false;
  }

  /** The current state of this conversation on the server. */
  protected showView(view: ConversationView): void {
    this.view = view;
    this.queue.show(view.queue);
    this.error = null;
    this.transcript = openTranscript(view, this.transcript ?? undefined);
    this.#followTurns();
    if (view.activeRun !== null) this.#follower.catchUp(view.activeRun.lastSeq);
  }

  /** Loads the events of the answer in progress again, at once. */
  reconnect(): void {
    this.#follower.retry();
    this.turns.retry();
  }

  /** Changes the transcript, unless another conversation was opened since that visit. */
  protected change(visit: number, change: (transcript: Transcript) => Transcript): void {
    if (visit === this.visit && this.transcript !== null) this.transcript = change(this.transcript);
  }

  /** @param ready awaited before the messages are inserted */
  async loadEarlier({ limit = EARLIER_PAGE, ready }: LoadEarlier = {}): Promise<void> {
    const { id, visit } = this;
    const first = this.transcript?.firstId ?? null;
    if (id === null || first === null || this.transcript?.earlier !== true || this.loadingEarlier) return;
    this.loadingEarlier = true;
    try {
      const page = await this.#deps.api.get('/api/conversations/{id}/messages', {
        params: { id },
        query: { before: first, limit },
      });
      await ready?.();
      this.change(visit, (transcript) => (transcript.firstId === first ? prependPage(transcript, page) : transcript));
    } finally {
      if (visit === this.visit) this.loadingEarlier = false;
    }
  }

  /** Keeps what is shown if the server cannot be reached: the next connection loads it again. */
  async refresh(): Promise<void> {
    const { id, visit, changes } = this;
    if (id === null || this.held) return;
    try {
      const view = await this.#deps.api.get('/api/conversations/{id}', { params: { id } });
      if (visit !== this.visit || this.held) return;
      if (changes === this.changes) this.showView(view);
      else this.#refreshSoon();
    } catch (thrown) {
      if (visit === this.visit && this.view === null) this.error = toApiError(thrown);
    }
  }

  #refreshSoon(): void {
    if (this.id === null) return;
    clearTimeout(this.#refreshing);
    this.#refreshing = setTimeout(() => void this.refresh(), REFRESH_AFTER_MS);
  }

  #follow(transcript: Transcript): void {
    const run = this.transcript?.run ?? null;
    this.transcript = transcript;
    this.#followTurns();
    // Only the server knows which branches exist now.
    if (run !== null && isActive(run.status) && transcript.run !== null && !isActive(transcript.run.status)) {
      keepTimes(transcript.tail);
      this.#refreshSoon();
    }
  }

  #followTurns(): void {
    if (this.view?.groupId !== undefined) this.turns.follow(this.transcript);
  }
}

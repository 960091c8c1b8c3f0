import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ConversationView,
  InterruptAnswer,
  LiveEvent,
  ProviderView,
  RunEvent,
  RunRecord,
} from '@toolyard/protocol';
import type { Fleet } from './fleet.ts';
import { follow } from './follow.ts';
import type { ReadConversation, RunReading, SteeredMessage, StoredRun } from '../faults/history.ts';
import { questionOf, remarkOf, loadScenarioAt } from './load-scenario.ts';

const TRY_AGAIN_MS = 250;
/** No request takes so long, unless its process is stopped; then it is made elsewhere. */
const ANSWER_MS = 20_000;

export type SimulatedUsersOptions = {
  fleet: Fleet;
  random: () => number;
  /** Aborted when all should have come to an end by now. */
  giveUp: AbortSignal;
};

/** People at work: they ask, say more, follow, answer and stop, now at one process, now at another, and try again until it is done. */
export class SimulatedUsers {
  /** Ids of the runs that were asked for and are kept, as the servers said. */
  readonly asked: string[] = [];
  /** What was said to runs in progress and accepted. */
  readonly said: SteeredMessage[] = [];
  readonly readings: RunReading[] = [];
  readonly conversations: ReadConversation[] = [];
  /** Requests that a server rejected without reason. */
  readonly problems: string[] = [];
  readonly #options: SimulatedUsersOptions;
  readonly #tab = new Map<string, RunEvent[]>();
  #conversations = 0;

  constructor(options: SimulatedUsersOptions) {
    this.#options = options;
  }

  /** Holds conversations, one after another, until `until`, and until somebody was heard by a run under way. */
  async work(until: AbortSignal): Promise<void> {
    while (!until.aborted || !(this.#wasHeard || this.#options.giveUp.aborted)) await this.#converse();
  }

  get #wasHeard(): boolean {
    return this.readings.some(({ events }) => events.some(({ type }) => type === 'steered'));
  }

  /** True when the tab has come to the end of every run it has read of. */
  tabHasRead(runs: readonly StoredRun[]): boolean {
    return runs.every(({ id, lastSeq }) => (this.#tab.get(id)?.at(-1)?.seq ?? lastSeq) >= lastSeq);
  }

  /** A tab that is open all the time: everything that goes on, over however many connections. */
  async watch(until: AbortSignal): Promise<void> {
    let cursor: string | null = null;
    while (!until.aborted) {
      await this.#somewhere(async (url, leaving) => {
        await follow(
          { url: `${url}/api/events`, lastId: cursor, leaving: AbortSignal.any([leaving, until]) },
          ({ id, event, data }) => {
            if (event === 'run') keep(this.#tab, (JSON.parse(data) as Extract<LiveEvent, { type: 'run' }>).event);
            if (id !== '') cursor = id;
          },
        );
      });
    }
    for (const [runId, events] of this.#tab) this.readings.push({ reader: 'a tab', runId, events });
  }

  async #converse(): Promise<void> {
    const { random } = this.#options;
    const id = `c${String(++this.#conversations)}`;
    const providers = await this.#ask<{ items: ProviderView[] }>('GET', '/api/providers');
    const providerId = providers?.items.find(({ origin }) => origin === 'environment')?.id ?? '';
    await this.#ask('POST', '/api/conversations', {
      id,
      configuration: { model: { providerId, modelId: 'scripted' } },
    });
    const runIds = [this.#messageId(), ...(random() < 0.5 ? [this.#messageId()] : [])];
    for (const [index, runId] of runIds.entries()) {
      const text = questionOf(loadScenarioAt(`${id}.${String(index)}`, random));
      const sent = await this.#ask('POST', `/api/conversations/${id}/messages`, {
        id: runId,
        parts: [{ type: 'text', text }],
      });
      if (sent !== undefined) this.asked.push(runId);
    }
    const cancels = random() < 0.1;
    const read: RunEvent[] = [];
    const readToEnd = async (runId: string): Promise<RunEvent[]> => {
      const events: RunEvent[] = [];
      await this.#followRun(runId, events);
      this.readings.push({ reader: id, runId, events });
      read.push(...events);
      return events;
    };
    // Where a run is stopped, one thing at a time is behind it.
    const saying = random() < 0.5 && (!cancels || runIds.length === 1) ? this.#saySoon(id) : null;
    let endedWell = true;
    for (const runId of runIds) {
      if (cancels) void this.#cancelSoon(runId);
      const events = await readToEnd(runId);
      endedWell = this.#endedWell(events);
      // What waits behind a run that was stopped stays where it is, and is taken back.
      if (cancels && runId !== runIds.at(-1) && !endedWell) {
        const [, queued = ''] = runIds;
        if ((await this.#takeBack(id, queued)) === 'taken back') {
          this.asked.splice(this.asked.indexOf(queued), 1);
          break;
        }
      }
    }
    const said = await saying;
    const became = said ? await this.#whatBecameOf(said, id, endedWell) : 'taken back';
    if (said && became !== 'taken back') this.said.push(said);
    if (said && became === 'a run of its own') {
      this.asked.push(said.id);
      await readToEnd(said.id);
    }
    const view = await this.#ask<ConversationView>('GET', `/api/conversations/${id}`);
    if (!view || this.#options.giveUp.aborted) return;
    this.conversations.push({ id, events: read, view });
  }

  #endedWell(events: readonly RunEvent[]): boolean {
    const last = events.at(-1);
    return last?.type === 'run_finished' && last.status === 'done';
  }

  /** Reads a run to its end and answers what it asks. It may not have begun: the one before it goes first. */
  async #followRun(runId: string, events: RunEvent[]): Promise<void> {
    const answered = new Set<string>();
    let over = false;
    while (!over && !this.#options.giveUp.aborted) {
      const missing = await this.#somewhere(async (url, leaving) => {
        await follow(
          { url: `${url}/api/runs/${runId}/events`, lastId: String(events.at(-1)?.seq ?? 0), leaving },
          ({ event, data }) => {
            over ||= event === 'end';
            if (event !== 'run') return;
            const read = JSON.parse(data) as RunEvent;
            events.push(read);
            if (read.type !== 'interrupt_requested' || answered.has(read.interrupt.id)) return;
            answered.add(read.interrupt.id);
            void this.#answer(read.interrupt.id, read.interrupt.kind);
          },
        );
      });
      if (missing !== null && !/^(?:404|503)/.test(missing)) this.#refused(`the stream of ${runId}`, missing);
      if (!over) await sleep(TRY_AGAIN_MS);
    }
  }

  async #answer(id: string, kind: string): Promise<void> {
    const { random } = this.#options;
    const dice = random();
    const answer: InterruptAnswer =
      kind === 'approval'
        ? dice < 0.05
          ? { decision: 'refuse' }
          : { decision: 'approve', scope: dice < 0.7 ? 'once' : 'conversation' }
        : dice < 0.5
          ? { decision: 'repeat' }
          : dice < 0.8
            ? { decision: 'failed' }
            : { decision: 'result', text: 'It has been counted.' };
    await sleep(Math.round(random() * 600));
    await this.#ask('POST', `/api/interrupts/${encodeURIComponent(id)}/answer`, { answer });
  }

  /** Says something to the run under way, if there is one by then. */
  async #saySoon(conversationId: string): Promise<SteeredMessage | null> {
    await sleep(Math.round(this.#options.random() * 3_000));
    const id = this.#messageId();
    const text = remarkOf(id);
    const sent = await this.#ask('POST', `/api/conversations/${conversationId}/messages`, {
      ...{ id, whenBusy: 'steer' },
      parts: [{ type: 'text', text }],
    });
    return sent === undefined ? null : { id, text };
  }

  /** Waits until it is clear. Behind a run that was stopped it stays where it is, and is taken back. */
  async #whatBecameOf(
    { id }: SteeredMessage,
    conversationId: string,
    endedWell: boolean,
  ): Promise<'taken back' | 'heard' | 'a run of its own'> {
    while (!this.#options.giveUp.aborted) {
      const view = await this.#ask<ConversationView>('GET', `/api/conversations/${conversationId}`);
      if (view?.queue.some((queued) => queued.id === id) !== true) break;
      if (endedWell) await sleep(TRY_AGAIN_MS);
      else if ((await this.#takeBack(conversationId, id)) === 'taken back') return 'taken back';
    }
    return (await this.#ask<RunRecord>('GET', `/api/runs/${id}`)) ? 'a run of its own' : 'heard';
  }

  async #cancelSoon(runId: string): Promise<void> {
    await sleep(Math.round(this.#options.random() * 3_000));
    await this.#ask('POST', `/api/runs/${runId}/cancel`, {});
  }

  async #takeBack(conversationId: string, messageId: string): Promise<'taken back' | 'sent'> {
    const view = await this.#ask<ConversationView>('GET', `/api/conversations/${conversationId}`);
    if (!view?.queue.some(({ id }) => id === messageId)) return 'sent';
    await this.#ask('DELETE', `/api/conversations/${conversationId}/queue/${messageId}`);
    return 'taken back';
  }

  /** Asks until there is an answer. What is not there, or was done before, is an answer, too. */
  async #ask<T>(method: string, path: string, body?: object): Promise<T | undefined> {
    while (!this.#options.giveUp.aborted) {
      let result: { value: T | undefined } | null = null;
      await this.#somewhere(async (url, leaving) => {
        const signal = AbortSignal.any([leaving, AbortSignal.timeout(ANSWER_MS)]);
        const json = body === undefined ? {} : { headers: { 'content-type': 'application/json' } };
        const response = await fetch(`${url}${path}`, { method, signal, ...json, body: JSON.stringify(body) ?? null });
        const text = await response.text();
        if (response.status === 503) return;
        if (response.ok) result = { value: text === '' ? undefined : (JSON.parse(text) as T) };
        else if (response.status === 404 || response.status === 409) result = { value: undefined };
        else this.#refused(`${method} ${path}`, `${String(response.status)} ${text}`);
      });
      if (result !== null) return (result as { value: T | undefined }).value;
      await sleep(TRY_AGAIN_MS);
    }
    return undefined;
  }

  /** At a process that works; returns what it said where it refused. A lost connection is nothing to be told. */
  async #somewhere(use: (url: string, leaving: AbortSignal) => Promise<void>): Promise<string | null> {
    const { fleet, random } = this.#options;
    const place = fleet.pick(random);
    if (!place) {
      await sleep(TRY_AGAIN_MS);
      return null;
    }
    // The patient stay where they are, and read on when the process is awake again.
    const leaving = random() < 0.5 ? place.leaving : this.#options.giveUp;
    try {
      await use(place.url, AbortSignal.any([leaving, this.#options.giveUp]));
      return null;
    } catch (thrown) {
      const isRefusal = thrown instanceof Error && /^\d{3} /.test(thrown.message);
      return isRefusal ? thrown.message : null;
    }
  }

  #refused(what: string, said: string): void {
    this.problems.push(`refused: ${what}: ${said.slice(0, 500)}`);
  }

  #messageId(): string {
    const digits = Array.from({ length: 12 }, () => Math.floor(this.#options.random() * 16).toString(16)).join('');
    return `0192f0c1-2345-7abc-8def-${digits}`;
  }
}

/** As the page does it: what is known already is passed over. */
function keep(runs: Map<string, RunEvent[]>, event: RunEvent): void {
  const known = runs.get(event.runId) ?? [];
  runs.set(event.runId, known);
  if (event.seq > (known.at(-1)?.seq ?? 0)) known.push(event);
}

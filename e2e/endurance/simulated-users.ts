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
import type { ReadConversation, RunReading, ScheduleHistory, SteeredMessage, StoredRun } from '../faults/history.ts';
import { loadScenarioAt, MEMBERS, toMessage, formatRemark, SCHEDULED_TASK } from './load-scenario.ts';

const TRY_AGAIN_MS = 250;
/** Request timeout: only a stopped process takes longer; the request is then sent to another one. */
const ANSWER_MS = 20_000;

const GROUP = 'pair';

export type SimulatedUsersOptions = {
  fleet: Fleet;
  random: () => number;
  /** Aborts when everything should have completed. */
  giveUp: AbortSignal;
};

/** Users who ask, steer, follow, answer and cancel at changing processes, with retries. */
export class SimulatedUsers {
  /** IDs of the runs that the servers have accepted. */
  readonly asked: string[] = [];
  /** Accepted messages to runs in progress. */
  readonly steered: SteeredMessage[] = [];
  readonly readings: RunReading[] = [];
  readonly conversations: ReadConversation[] = [];
  /** Names of the scenarios of runs that were asked. */
  readonly scenarioNames = new Map<string, string>();
  /** Requests that a server rejected wrongly. */
  readonly problems: string[] = [];
  readonly #options: SimulatedUsersOptions;
  readonly #tab = new Map<string, RunEvent[]>();
  #conversations = 0;

  constructor(options: SimulatedUsersOptions) {
    this.#options = options;
  }

  /** Runs conversations one after another until `until`, and until a run has received a steered message. */
  async work(until: AbortSignal): Promise<void> {
    while (!until.aborted || !(this.#wasHeard || this.#options.giveUp.aborted)) await this.#converse(until.aborted);
  }

  get #wasHeard(): boolean {
    return this.readings.some(({ events }) => events.some(({ type }) => type === 'steered'));
  }

  /** True when the tab has received the end of every run it knows. */
  tabHasRead(runs: readonly StoredRun[]): boolean {
    return runs.every(({ id, lastSeq }) => (this.#tab.get(id)?.at(-1)?.seq ?? lastSeq) >= lastSeq);
  }

  /** A group for some of the conversations, and a schedule whose runs no user follows. */
  async prepare({ id, seconds, times }: Pick<ScheduleHistory, 'id' | 'seconds' | 'times'>): Promise<void> {
    const model = await this.#model();
    for (const name of MEMBERS) {
      await this.#ask('POST', '/api/agents', { id: name, title: name, configuration: { model } });
    }
    const members = MEMBERS.map((agentId) => ({ agentId }));
    await this.#ask('POST', '/api/groups', { id: GROUP, title: 'Pair', members, mode: { kind: 'fixed_order' } });
    await this.#addSchedule({ id, seconds, times });
  }

  async #addSchedule({ id, seconds, times }: Pick<ScheduleHistory, 'id' | 'seconds' | 'times'>): Promise<void> {
    await this.#ask('POST', '/api/schedules', {
      ...{ id, title: 'Time', task: SCHEDULED_TASK, timing: { kind: 'interval', seconds } },
      ...{ conditions: { maxTotal: times }, missed: 'all', missedLimit: 100, overlap: 'parallel' },
      configuration: { model: await this.#model() },
    });
  }

  async #model(): Promise<{ providerId: string; modelId: string }> {
    const providers = await this.#ask<{ items: ProviderView[] }>('GET', '/api/providers');
    const providerId = providers?.items.find(({ origin }) => origin === 'environment')?.id ?? '';
    return { providerId, modelId: 'scripted' };
  }

  /** A tab that is always open: answers interrupts of sub-agents, and receives all events, over any number of connections. */
  async watch(until: AbortSignal): Promise<void> {
    let cursor: string | null = null;
    while (!until.aborted) {
      await this.#somewhere(async (url, leaving) => {
        await follow(
          { url: `${url}/api/events`, lastId: cursor, leaving: AbortSignal.any([leaving, until]) },
          ({ id, event, data }) => {
            if (event === 'run') {
              const read = (JSON.parse(data) as Extract<LiveEvent, { type: 'run' }>).event;
              if (keep(this.#tab, read) && isOfSubAgent(read) && read.type === 'interrupt_requested') {
                void this.#answer(read.interrupt.id, read.interrupt.kind);
              }
            }
            if (id !== '') cursor = id;
          },
        );
      });
    }
    for (const [runId, events] of this.#tab) this.readings.push({ reader: 'a tab', runId, events });
  }

  /** @param steers if true, for sure: chance alone may take minutes */
  async #converse(steers: boolean): Promise<void> {
    const { random } = this.#options;
    const id = `c${String(++this.#conversations)}`;
    const isGroup = !steers && random() < 0.25;
    await this.#ask('POST', '/api/conversations', {
      id,
      ...(isGroup ? { groupId: GROUP } : {}),
      configuration: { model: await this.#model(), servers: { 'sub-agents': true } },
    });
    const runIds = [this.#messageId(), ...(random() < 0.5 ? [this.#messageId()] : [])];
    for (const [index, runId] of runIds.entries()) {
      const scenario = loadScenarioAt(`${id}.${String(index)}`, random);
      this.scenarioNames.set(runId, scenario.name);
      const text = toMessage(scenario);
      const sent = await this.#ask('POST', `/api/conversations/${id}/messages`, {
        id: runId,
        parts: [{ type: 'text', text }],
      });
      if (sent !== undefined) this.asked.push(runId);
    }
    const cancels = !steers && random() < 0.1;
    const read: RunEvent[] = [];
    const readToEnd = async (runId: string): Promise<RunEvent[]> => {
      const events: RunEvent[] = [];
      await this.#followRun(runId, events);
      this.readings.push({ reader: id, runId, events });
      read.push(...events);
      return events;
    };
    // Behind a cancelled run, only one message is queued at a time.
    // The last member may have had its turn: then no request contains a steered message.
    const maySteer = !isGroup && (!cancels || runIds.length === 1);
    const saying = steers || (maySteer && random() < 0.5) ? this.#saySoon(id) : null;
    let endedWell = true;
    for (const runId of runIds) {
      if (cancels) void this.#cancelSoon(runId);
      const events = await readToEnd(runId);
      endedWell = this.#endedWell(events);
      // Messages queued behind a cancelled run stay in the queue, and are removed.
      if (cancels && runId !== runIds.at(-1) && !endedWell) {
        const [, queued = ''] = runIds;
        if ((await this.#takeBack(id, queued)) === 'removed') {
          this.asked.splice(this.asked.indexOf(queued), 1);
          break;
        }
      }
    }
    const message = await saying;
    const outcome = message ? await this.#waitForOutcome(message, id, endedWell) : 'removed';
    if (message && outcome !== 'removed') this.steered.push(message);
    if (message && outcome === 'started a run') {
      this.asked.push(message.id);
      await readToEnd(message.id);
    }
    const view = await this.#ask<ConversationView>('GET', `/api/conversations/${id}`);
    if (!view || this.#options.giveUp.aborted) return;
    this.conversations.push({ id, events: read, view });
  }

  #endedWell(events: readonly RunEvent[]): boolean {
    const last = events.at(-1);
    return last?.type === 'run_finished' && last.status === 'done';
  }

  /** Follows a run to its end and answers its interrupts. It may wait for the previous run to end. */
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

  /** Steers the run, if it is in progress. */
  async #saySoon(conversationId: string): Promise<SteeredMessage | null> {
    await sleep(Math.round(this.#options.random() * 3_000));
    const id = this.#messageId();
    const text = formatRemark(id);
    const sent = await this.#ask('POST', `/api/conversations/${conversationId}/messages`, {
      ...{ id, whenBusy: 'steer' },
      parts: [{ type: 'text', text }],
    });
    return sent === undefined ? null : { id, text };
  }

  /** Waits for the outcome of a queued message. Behind a cancelled run, it stays in the queue and is removed. */
  async #waitForOutcome(
    { id }: SteeredMessage,
    conversationId: string,
    endedWell: boolean,
  ): Promise<'removed' | 'received' | 'started a run'> {
    while (!this.#options.giveUp.aborted) {
      const view = await this.#ask<ConversationView>('GET', `/api/conversations/${conversationId}`);
      if (view?.queue.some((queued) => queued.id === id) !== true) break;
      if (endedWell) await sleep(TRY_AGAIN_MS);
      else if ((await this.#takeBack(conversationId, id)) === 'removed') return 'removed';
    }
    return (await this.#ask<RunRecord>('GET', `/api/runs/${id}`)) ? 'started a run' : 'received';
  }

  async #cancelSoon(runId: string): Promise<void> {
    await sleep(Math.round(this.#options.random() * 3_000));
    await this.#ask('POST', `/api/runs/${runId}/cancel`, {});
  }

  async #takeBack(conversationId: string, messageId: string): Promise<'removed' | 'sent'> {
    const view = await this.#ask<ConversationView>('GET', `/api/conversations/${conversationId}`);
    if (!view?.queue.some(({ id }) => id === messageId)) return 'sent';
    await this.#ask('DELETE', `/api/conversations/${conversationId}/queue/${messageId}`);
    return 'removed';
  }

  /** Retries until there is a response. 404 and 409 count as responses. */
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

  /** Sends to a working process; returns its error, but not a lost connection. */
  async #somewhere(use: (url: string, leaving: AbortSignal) => Promise<void>): Promise<string | null> {
    const { fleet, random } = this.#options;
    const place = fleet.pick(random);
    if (!place) {
      await sleep(TRY_AGAIN_MS);
      return null;
    }
    // Some users stay, and continue when the process is resumed.
    const leaving = random() < 0.5 ? place.leaving : this.#options.giveUp;
    try {
      await use(place.url, AbortSignal.any([leaving, this.#options.giveUp]));
      return null;
    } catch (thrown) {
      const isRefusal = thrown instanceof Error && /^\d{3} /.test(thrown.message);
      return isRefusal ? thrown.message : null;
    }
  }

  #refused(what: string, message: string): void {
    this.problems.push(`refused: ${what}: ${message.slice(0, 500)}`);
  }

  #messageId(): string {
    const digits = Array.from({ length: 12 }, () => Math.floor(this.#options.random() * 16).toString(16)).join('');
    return `0192f0c1-2345-7abc-8def-${digits}`;
  }
}

/** Skips known events, like the page; true for new ones. */
function keep(runs: Map<string, RunEvent[]>, event: RunEvent): boolean {
  const known = runs.get(event.runId) ?? [];
  runs.set(event.runId, known);
  if (event.seq <= (known.at(-1)?.seq ?? 0)) return false;
  known.push(event);
  return true;
}

function isOfSubAgent({ runId }: RunEvent): boolean {
  return runId.includes('.task.');
}

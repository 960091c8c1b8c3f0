import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import type {
  ConversationView,
  Interrupt,
  InterruptAnswer,
  ModelReference,
  Page,
  ProviderView,
  RunEvent,
  StoredInterrupt,
} from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { call, readRun } from '../support/api.ts';
import type { ServerInstances } from '../support/server-instances.ts';
import type { SteeredMessage } from './history.ts';
import type { ScenarioActor } from './run-with-faults.ts';
import type { Scenario } from './scenario.ts';

const CONVERSATION = 'faults';
const TRY_AGAIN_MS = 30;
const BEGIN_WITHIN_MS = 60_000;

/** The conversation keeps the raised budget. */
export const RAISED = 50;

/** A run has the id of the message that asks for it. */
const messageId = (index: number): string => `0192f0c1-2345-7abc-8def-00000000000${String(index + 1)}`;
const steerId = (index: number): string => `0192f0c1-2345-7abc-8def-00000000001${String(index + 1)}`;

/**
 * The user of a scenario over any number of lives of the server: sends all messages at once and follows the answers,
 * sends again what may be lost, reads on where a stream was cut, and answers interrupts; every call in doubt is repeated.
 */
export class ScenarioUser implements ScenarioActor {
  readonly runs: readonly RunEvent[][];
  readonly steered: readonly SteeredMessage[];
  /** What the server rejected. */
  readonly refused: string[] = [];
  readonly #scenario: Scenario;
  readonly #lives: ServerInstances;
  readonly #sent = new Set<number>();
  #reactions: Promise<void>[] = [];

  constructor(scenario: Scenario, lives: ServerInstances) {
    this.#scenario = scenario;
    this.#lives = lives;
    this.runs = scenario.userMessages.map(() => []);
    this.steered = scenario.steers.map(({ text }, index) => ({ id: steerId(index), text }));
  }

  /** Rejects with what the server says is wrong. */
  async goOn(url: string): Promise<'over' | 'cut'> {
    this.#reactions = [];
    this.#sent.clear();
    const stop = new AbortController();
    try {
      await this.#ask(url);
      if (this.#scenario.delegates) void this.#watchSubAgents(url, stop.signal);
      for (const [index, events] of this.runs.entries()) {
        for (const event of events) this.#see(url, event);
        if ((await this.#follow(url, messageId(index), events)) === 'cut') return 'cut';
      }
      return 'over';
    } catch (thrown) {
      if (isCut(thrown)) return 'cut';
      throw thrown;
    } finally {
      stop.abort();
      await Promise.all(this.#reactions);
    }
  }

  async view(url: string): Promise<ConversationView> {
    return call(url, 'GET', `/api/conversations/${CONVERSATION}`);
  }

  async answered(url: string): Promise<StoredInterrupt[]> {
    return (await call<Page<StoredInterrupt>>(url, 'GET', '/api/interrupts?status=answered')).items;
  }

  async #ask(url: string): Promise<void> {
    const { items } = await call<{ items: ProviderView[] }>(url, 'GET', '/api/providers');
    const ofEnvironment = items.find(({ origin }) => origin === 'environment')?.id ?? '';
    const model = { providerId: this.#lives.providerId ?? ofEnvironment, modelId: 'scripted' };
    const configuration = { ...this.#scenario.configuration, model };
    // Its server runs without a sandbox.
    await call(url, 'PUT', '/api/mcp/unsandboxed-servers', { servers: ['counter'] });
    await this.#createGroup(url, model);
    const groupId = this.#scenario.group?.group.id;
    await call(url, 'POST', '/api/conversations', { id: CONVERSATION, configuration, ...defined({ groupId }) });
    for (const [index, text] of this.#scenario.userMessages.entries()) {
      await this.#say(url, { id: messageId(index), parts: [{ type: 'text', text }] });
    }
  }

  /** Once: in a later life they are there. */
  async #createGroup(url: string, model: ModelReference): Promise<void> {
    const { agents = [], group } = this.#scenario.group ?? {};
    for (const { id, title } of agents) {
      const agent = { id, title, configuration: { model } };
      await call(url, 'POST', '/api/agents', agent).catch(unlessTaken);
    }
    if (group) await call(url, 'POST', '/api/groups', group).catch(unlessTaken);
  }

  /** Reacts to the events of sub-agents, which are not followed one by one: those that were missed, then live ones. */
  async #watchSubAgents(url: string, signal: AbortSignal): Promise<void> {
    const own = new Set(this.#scenario.userMessages.map((_text, index) => messageId(index)));
    const parser = createParser({
      onEvent: ({ data }) => {
        const { event } = JSON.parse(data) as { event?: RunEvent };
        if (event && !own.has(event.runId)) this.#see(url, event);
      },
    });
    const decoder = new TextDecoder();
    try {
      const response = await fetch(`${url}/api/events`, { signal });
      const open = await call<Page<StoredInterrupt>>(url, 'GET', '/api/interrupts?status=open');
      for (const { interrupt, runId } of open.items) if (!own.has(runId)) this.#answer(url, interrupt);
      for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
    } catch (thrown) {
      if (!signal.aborted && !isCut(thrown)) this.refused.push(String(thrown));
    }
  }

  /** A later run begins when the one before it has ended. */
  async #follow(url: string, runId: string, events: RunEvent[]): Promise<'over' | 'cut'> {
    const giveUpAt = performance.now() + BEGIN_WITHIN_MS;
    for (;;) {
      try {
        await call(url, 'GET', `/api/runs/${runId}`);
        return await readRun(url, runId, events, (event) => this.#see(url, event));
      } catch (thrown) {
        if (isCut(thrown)) return 'cut';
        if (!String(thrown).includes(': 404 ') || performance.now() > giveUpAt) throw thrown;
      }
      await sleep(TRY_AGAIN_MS);
    }
  }

  #see(url: string, event: RunEvent): void {
    const reacts = this.#react(url, event).catch((thrown: unknown) => {
      // After a kill it is done again in the next life.
      if (!isCut(thrown)) this.refused.push(String(thrown));
    });
    this.#reactions.push(reacts);
  }

  async #react(url: string, event: RunEvent): Promise<void> {
    if (event.type === 'tool_started' && event.name === 'count') {
      await this.#steer(url, 'call');
      this.#lives.releaseTools();
    } else if (event.type === 'interrupt_requested') {
      await this.#steer(url, event.interrupt.kind);
      await this.#answerNow(url, event.interrupt);
    }
  }

  #answer(url: string, interrupt: Interrupt): void {
    const answered = this.#answerNow(url, interrupt).catch((thrown: unknown) => {
      if (!isCut(thrown)) this.refused.push(String(thrown));
    });
    this.#reactions.push(answered);
  }

  async #answerNow(url: string, interrupt: Interrupt): Promise<void> {
    const answer = answerTo(interrupt);
    const path = `/api/interrupts/${encodeURIComponent(interrupt.id)}/answer`;
    await call(url, 'POST', path, { answer }).catch(unlessAnswered);
  }

  /** Sent again in each life; the server recognizes the id. */
  async #steer(url: string, now: Scenario['steers'][number]['during']): Promise<void> {
    for (const [index, { during, text }] of this.#scenario.steers.entries()) {
      if (during !== now || this.#sent.has(index)) continue;
      this.#sent.add(index);
      await this.#say(url, { id: steerId(index), parts: [{ type: 'text', text }], whenBusy: 'steer' });
    }
  }

  async #say(url: string, message: object): Promise<void> {
    await call(url, 'POST', `/api/conversations/${CONVERSATION}/messages`, message);
  }
}

function answerTo({ kind }: Interrupt): InterruptAnswer {
  switch (kind) {
    case 'approval':
      return { decision: 'approve', scope: 'conversation' };
    case 'prompt':
      return { decision: 'say', text: 'Bern' };
    case 'selection':
      return { decision: 'choose', chosen: ['green'] };
    case 'budget':
      return { decision: 'raise', limit: RAISED, scope: 'conversation' };
    default:
      return { decision: 'repeat' };
  }
}

/** In an earlier life, for example. */
function unlessAnswered(thrown: unknown): void {
  if (!String(thrown).includes(': 409 ')) throw thrown;
}

/** Created in an earlier life. */
function unlessTaken(thrown: unknown): void {
  if (!String(thrown).includes('is taken')) throw thrown;
}

function isCut(thrown: unknown): boolean {
  return thrown instanceof TypeError;
}

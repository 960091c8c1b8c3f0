import { initialState } from '@toolyard/agent-runtime';
import type { IndexedTool } from '@toolyard/mcp-host';
import type { ModelRuntime, StreamPart } from '@toolyard/model-runtime';
import type {
  CommitOutcome,
  Interrupt,
  LedgerEntry,
  Message,
  ResolvedAgentConfiguration,
  RunCommit,
  RunEvent,
  RunLimits,
  RunStatus,
  ToolReference,
  ToolResult,
  UsageEntry,
} from '@toolyard/protocol';
import { DEFAULT_LIMITS } from '@toolyard/protocol';
import type { FakeClock } from '@toolyard/testing';
import { createFakeClock } from '@toolyard/testing';
import type { RunCallOptions } from '../../functions/function-tools.ts';
import { CommitPump } from '../commit-pump.ts';
import type { DurableAccess } from '../durable-run.ts';
import { DurableRun } from '../durable-run.ts';
import type { StoredRun } from '../stored-run.ts';

export const PAY: ToolReference = { serverId: 'bank', name: 'pay' };

type Call = (options: RunCallOptions) => Promise<ToolResult>;

export const paid: ToolResult = { content: [{ type: 'text', text: 'paid' }], isError: false, outcome: 'done' };

/** A model that answers request n with answer n. */
export function answering(...answers: (readonly StreamPart[])[]): ModelRuntime {
  const rest = [...answers];
  return {
    provider: 'scripted',
    async *chat() {
      const parts = rest.shift();
      if (!parts) throw new Error('unexpected request');
      yield parts;
    },
    models: () => Promise.resolve([]),
  };
}

export const callsPay: readonly StreamPart[] = [
  { type: 'tool_call', index: 0, name: 'pay', arguments: {}, argumentsText: '{}' },
  { type: 'finish', reason: 'tool_calls' },
];

export const says = (text: string): readonly StreamPart[] => [
  { type: 'text', text },
  { type: 'finish', reason: 'stop' },
];

/** A run in an in-memory store, with what a database would contain. */
export class MemoryRun {
  readonly clock: FakeClock = createFakeClock();
  readonly events: RunEvent[] = [];
  readonly interrupts = new Map<string, Interrupt>();
  readonly ledger = new Map<string, LedgerEntry>();
  readonly messages = new Map<string, Message>();
  readonly usage: UsageEntry[] = [];
  status: RunStatus = 'running';
  state: StoredRun;
  commits = 0;
  /** The process crashes before this commit: nothing is stored from then on. */
  crashesAt = Infinity;
  /** From this commit on another process holds the lease. */
  lostAt = Infinity;
  #fence = 0;

  constructor(limits: Partial<RunLimits> = {}) {
    const at = { runId: 'r', conversationId: 'c', startedAt: this.clock.now() };
    this.state = {
      point: {
        state: initialState({ ...at, limits: { ...DEFAULT_LIMITS, ...limits } }),
        context: { phase: 'user_input' },
      },
      leafId: 'user-message',
      shownId: 'user-message',
    };
    const userMessage: Message = {
      id: 'user-message',
      parentId: null,
      createdAt: 0,
      role: 'user',
      parts: [{ type: 'text', text: 'Pay it.' }],
    };
    this.messages.set(userMessage.id, userMessage);
  }

  /** Acquires the lease, like a process that recovers the run. */
  lease(): DurableRun {
    const fence = ++this.#fence;
    const pump = new CommitPump({
      store: { commit: (items) => Promise.all(items.map((item) => this.#commit(item, fence))) },
      clock: this.clock,
      publish: (_ownerId, events) => this.events.push(...events),
      onFailure: () => undefined,
    });
    const run = { id: 'r', ownerId: 'anne', conversationId: 'c', fence, lastSeq: this.events.length, updatedAt: 0 };
    return new DurableRun({ run, pump, clock: this.clock, keepMedia: (value) => Promise.resolve(value) });
  }

  /** Drives the run until it is over or parked. */
  drive(
    run: DurableRun,
    open: () => Promise<DurableAccess>,
    {
      attempt = 1,
      intervention = 'manual',
    }: { attempt?: number; intervention?: ResolvedAgentConfiguration['intervention'] } = {},
  ): ReturnType<ReturnType<DurableRun['begin']>['drive']> {
    const { limits } = this.state.point.state;
    const execution = run.begin({
      configuration: {
        model: { providerId: 'scripted', modelId: 'scripted-1' },
        instructions: '',
        parameters: {},
        toolMode: 'native',
        servers: {},
        disabledTools: [],
        intervention,
        interventionRules: [],
        budgets: [],
        limits,
      },
      place: 'server',
      point: this.state.point,
      attempt,
      conversation: run.openConversation({ ...this.state, instructions: '' }, this.#branch()),
      ledger: [...this.ledger.values()],
      findQueued: () => Promise.resolve(null),
    });
    return execution.drive(run.ending ? null : open());
  }

  /** The texts of the run's branch. */
  get texts(): string[] {
    return this.#branch().map(({ role, parts }) => `${role}: ${parts.map(getText).join('')}`);
  }

  #branch(): Message[] {
    const branch: Message[] = [];
    for (let at = this.messages.get(this.state.leafId); at; at = this.messages.get(at.parentId ?? ''))
      branch.unshift(at);
    return branch;
  }

  #commit(item: RunCommit, fence: number): Promise<CommitOutcome> {
    this.commits++;
    if (this.commits >= this.crashesAt) return new Promise(() => undefined);
    if (this.commits >= this.lostAt || fence !== this.#fence || item.baseSeq !== this.events.length) {
      return Promise.resolve({ outcome: 'stale', now: null });
    }
    this.usage.push(...(item.usage ?? []));
    if (item.state) this.state = structuredClone(item.state as StoredRun);
    if (item.status) this.status = item.status;
    for (const { message } of item.messages ?? []) this.messages.set(message.id, structuredClone(message));
    for (const { interrupt } of item.interrupts?.opened ?? []) this.interrupts.set(interrupt.id, interrupt);
    for (const change of item.ledger ?? []) {
      const { callId } = change;
      const known = this.ledger.get(callId);
      if (change.change === 'plan') {
        const { tool, arguments: args } = change;
        const planned = { callId, runId: 'r', tool, arguments: args, status: 'planned', detail: null } as const;
        this.ledger.set(callId, { ...planned, updatedAt: this.clock.now() });
      } else if (known) {
        this.ledger.set(callId, { ...known, status: change.to, detail: change.detail ?? known.detail });
      }
    }
    return Promise.resolve({ outcome: 'committed', lastSeq: item.baseSeq + item.events.length });
  }
}

const NO_CONTEXT = { serverInstructions: [] };

/** A model, and the tool `pay` of the server `bank`, which is allowed unless `asks`. */
export function access(model: ModelRuntime, pay: Call, { asks = false } = {}): () => Promise<DurableAccess> {
  const listed: IndexedTool = {
    tool: PAY,
    name: 'pay',
    inputSchema: { type: 'object' },
    builtIn: false,
    checkArguments: () => null,
  };
  return () =>
    Promise.resolve({
      model,
      abilities: {},
      sources: [
        {
          tools: () => [listed],
          callTool: (_tool, _args, options) => pay(options),
          resumeTask: () => Promise.reject(new Error('there are no tasks')),
          contextSources: () => NO_CONTEXT,
          policyFacts: () => ({ builtIn: false, readOnly: false, trusted: false }),
          refresh: () => undefined,
        },
      ],
      permission: () => (asks ? undefined : 'allow'),
    });
}

function getText(part: Message['parts'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'tool_result':
      return part.result.content.map((item) => ('text' in item ? item.text : item.type)).join('');
    default:
      return `<${part.type}>`;
  }
}

import type { JudgedToolCall } from '@toolyard/agent-host';
import { RunToolService } from '@toolyard/agent-host';
import type { IndexedTool } from '@toolyard/mcp-host';
import type { AgentState, RunnableCall } from '@toolyard/agent-runtime';
import { initialState } from '@toolyard/agent-runtime';
import type {
  Budget,
  ErrorInfo,
  JudgedCall,
  ListedTools,
  Owner,
  RunRecord,
  Spent,
  ToolResult,
} from '@toolyard/protocol';
import {
  createErrorInfo,
  defined,
  formatToolReference,
  mergeBudgets,
  messageOf,
  ZERO_SPENT,
  say,
} from '@toolyard/protocol';
import type { SharedStorage, StoredTabCall } from '@toolyard/storage';
import { mediaToBlobs, textsToFiles } from '@toolyard/storage';
import { createConflictError, createNotFoundError } from '../../errors.ts';
import { openGroup } from '../../groups/open-group.ts';
import { retryUntilStored } from '../../retry-until-stored.ts';
import { keepFilesOfRun } from '../keep-files.ts';
import type { RunAccessServices } from '../worker/open-run-access.ts';
import { openRunAccess } from '../worker/open-run-access.ts';
import type { StoredToolCall } from '../read/stored-tool-call.ts';
import { isSameJson, readStoredToolCall } from '../read/stored-tool-call.ts';
import type { RunConfiguration } from '../worker/stored-run.ts';
import { readStoredRun } from '../worker/stored-run.ts';

/** The tools of the server for runs in tabs. Every method reads the run as it is stored, not as its tab describes it. */
export type TabToolCalls = {
  /** The tools of a run, and the verdicts about these calls. */
  read(principal: Owner, run: RunRecord, calls: readonly JudgedCall[]): Promise<ReadTools>;
  /**
   * Makes a call that the run has stored, or waits for it; null if it takes longer. `bad_request` if the run has not
   * stored it.
   */
  make(principal: Owner, run: RunRecord, callId: string): Promise<ToolResult | null>;
};

export type ReadTools = ListedTools & { judged: JudgedToolCall[] };

export type TabToolCallsOptions = RunAccessServices & {
  storage: RunAccessServices['storage'] &
    Pick<SharedStorage, 'runs' | 'runStates' | 'messages' | 'tabs' | 'blobs' | 'groups' | 'agents'>;
  /** How long calls in progress may take when the process stops. */
  lastCallsMs?: number;
};

const BEAT_MS = 1_000;
/** A process without a heartbeat for this long is gone. */
const GONE_MS = 10_000;
/** How long a request waits for a result: proxies close connections that are idle for longer. */
const WAIT_MS = 20_000;
const LAST_CALLS_MS = 5_000;

type OpenedRun = { service: RunToolService; configuration: RunConfiguration };
type CallKey = { runId: string; callId: string };
type ExecutingCall = { ownerId: string; runId: string; tool: string; over: Promise<void> };

/**
 * Makes calls of runs that execute in tabs. A call is a row, claimed before it is made: a tab that sends its request again,
 * or is reloaded, waits for the same row. Losing the lease does not cancel a call; the end of the run does.
 */
export class TabToolCallMaker implements TabToolCalls {
  readonly #options: TabToolCallsOptions;
  readonly #executing = new Map<string, ExecutingCall>();
  /** Decisions about the calls of an owner follow one another, so that each counts the calls before it. */
  readonly #deciding = new Map<string, Promise<unknown>>();

  constructor(options: TabToolCallsOptions) {
    this.#options = options;
  }

  async read(principal: Owner, run: RunRecord, calls: readonly JudgedCall[]): Promise<ReadTools> {
    const { service } = await this.#open(principal, run, new AbortController().signal);
    const judged = await service.judge(calls);
    const { serverInstructions, skills } = service.contextSources;
    return {
      tools: service.tools.map(toDefinition),
      serverInstructions: [...serverInstructions],
      ...defined({ skills }),
      judged,
    };
  }

  async make(principal: Owner, run: RunRecord, callId: string): Promise<ToolResult | null> {
    const { storage, clock } = this.#options;
    const stored = await readStoredToolCall(storage, principal, run, callId);
    const key = { runId: run.id, callId: stored.rowId };
    const until = clock.monotonic() + WAIT_MS;
    do {
      const row = await storage.tabs.getCall(principal, key);
      if (row === null) {
        const answer = await this.#start(principal, run, stored);
        if (typeof answer === 'object') return answer;
        if (answer === 'busy') await this.#waitAtMost(BEAT_MS, Promise.race(this.#listOthers(run)));
        continue;
      }
      checkSameCall(row, stored);
      if (row.status === 'done' && row.result) return row.result;
      const left = until - clock.monotonic();
      const executing = this.#executing.get(getName(key));
      if (executing) await this.#waitAtMost(left, executing.over);
      else if (clock.now() - row.updatedAt > GONE_MS) await this.#replace(principal, run, stored, row);
      else await this.#waitAtMost(Math.min(left, BEAT_MS));
    } while (clock.monotonic() < until);
    return null;
  }

  /** Resolves when the calls in progress have ended, or may take no longer: the next process finds them without a heartbeat. */
  async close(): Promise<void> {
    const over = Array.from(this.#executing.values(), (call) => call.over);
    if (over.length > 0) await this.#waitAtMost(this.#options.lastCallsMs ?? LAST_CALLS_MS, Promise.all(over));
  }

  /**
   * Decides about the call and starts it. Returns the result of a call that is not made, which is stored nowhere. `busy`:
   * the run may not have another call in progress.
   */
  async #start(principal: Owner, run: RunRecord, stored: StoredToolCall): Promise<ToolResult | 'started' | 'busy'> {
    const key = { runId: run.id, callId: stored.rowId };
    const cancel = new AbortController();
    const { service, configuration } = await this.#open(principal, run, cancel.signal);
    return this.#inTurn(principal.ownerId, async () => {
      if (this.#listOthers(run).length >= configuration.limits.toolConcurrency) return 'busy';
      const decided = await service.decide(stored.call, await this.#getState(principal, run, configuration, stored));
      if ('answer' in decided) return decided.answer;
      const row = await this.#options.storage.tabs.startCall(principal, {
        ...stored.row,
        at: this.#options.clock.now(),
      });
      if (row) this.#execute(principal, row, key, decided.make, cancel);
      return 'started';
    });
  }

  /** The calls of the run in progress. */
  #listOthers(run: RunRecord): Promise<void>[] {
    return [...this.#executing.values()].flatMap(({ runId, over }) => (runId === run.id ? [over] : []));
  }

  /** The process that made the call is gone: a harmless call is made again, the outcome of another is unknown. */
  async #replace(principal: Owner, run: RunRecord, stored: StoredToolCall, row: StoredTabCall): Promise<void> {
    const { tabs } = this.#options.storage;
    const { clock } = this.#options;
    const key = { runId: run.id, callId: row.callId };
    const cancel = new AbortController();
    const { service, configuration } = await this.#open(principal, run, cancel.signal);
    const isRepeatable = service.isRepeatable(stored.call.tool);
    const decided =
      isRepeatable && (await service.decide(stored.call, await this.#getState(principal, run, configuration, stored)));
    if (!decided || 'answer' in decided) {
      const of = { tabId: null, fence: row.fence, at: clock.now() };
      await tabs.finish(principal, key, { ...of, result: processGone(stored.call) });
      return;
    }
    const restarted = await tabs.restartCall(principal, key, row.fence, clock.now());
    if (restarted) this.#execute(principal, restarted, key, decided.make, cancel);
  }

  #execute(
    principal: Owner,
    row: StoredTabCall,
    key: CallKey,
    make: () => Promise<ToolResult>,
    cancel: AbortController,
  ): void {
    const { log } = this.#options;
    const name = getName(key);
    const over = this.#makeAndStore(principal, row, key, make, cancel)
      .catch((thrown: unknown) =>
        log(`run ${key.runId}: the result of a call could not be stored: ${messageOf(thrown)}`),
      )
      .finally(() => this.#executing.delete(name));
    this.#executing.set(name, {
      ownerId: principal.ownerId,
      runId: key.runId,
      tool: formatToolReference(row.tool),
      over,
    });
  }

  async #makeAndStore(
    principal: Owner,
    { fence }: StoredTabCall,
    key: CallKey,
    make: () => Promise<ToolResult>,
    cancel: AbortController,
  ): Promise<void> {
    const { storage, clock, stopping } = this.#options;
    const endHeartbeat = this.#sendHeartbeats(principal, key, fence, cancel);
    try {
      // The call is not wanted any more: the executor does not make it.
      if (!(await storage.tabs.renewCall(principal, key, fence, clock.now()))) cancel.abort();
      const result = await mediaToBlobs(await make(), keepFilesOfRun({ storage, principal, clock }));
      const finish = () => storage.tabs.finish(principal, key, { tabId: null, fence, result, at: clock.now() });
      await retryUntilStored(finish, { clock, signal: stopping });
    } finally {
      endHeartbeat();
    }
  }

  /** Cancels the call when its run has ended, or another process makes it. */
  #sendHeartbeats(principal: Owner, key: CallKey, fence: number, cancel: AbortController): () => void {
    const { storage, clock } = this.#options;
    let isOver = false;
    let stop = (): void => undefined;
    const beat = async (): Promise<void> => {
      // After a storage error the next heartbeat decides.
      const isWanted = await storage.tabs.renewCall(principal, key, fence, clock.now()).catch(() => true);
      if (isOver) return;
      if (isWanted) next();
      else cancel.abort();
    };
    const next = (): void => {
      stop = clock.after(BEAT_MS, () => void beat());
    };
    next();
    return () => {
      isOver = true;
      stop();
    };
  }

  async #open(principal: Owner, run: RunRecord, signal: AbortSignal): Promise<OpenedRun> {
    const { storage, clock, log } = this.#options;
    const kept = await storage.runStates.get(principal, run.id);
    if (kept === null) throw createNotFoundError(say`There is no run ${run.id} in a tab.`);
    const { configuration } = readStoredRun(kept);
    const group = configuration.group && (await openGroup(principal, configuration.group, storage));
    const conversation = { messages: () => [] };
    const access = await openRunAccess({ run, configuration, conversation, group, signal }, this.#options);
    const keep = keepFilesOfRun({ storage, principal, clock });
    const { id: runId, conversationId, agentId } = run;
    const service = new RunToolService(
      {
        run,
        configuration,
        modelId: configuration.model.modelId,
        providerId: configuration.model.providerId,
        principal: principal.ownerId,
        clock,
        signal,
        keepResult: (result) => textsToFiles(result, (text, mimeType) => keep(Buffer.from(text), mimeType)),
        used: (entry) => {
          storage.usage
            .add(principal, entry, { runId, conversationId, agentId, place: 'browser' })
            .catch((thrown: unknown) => log(`usage: could not be stored: ${messageOf(thrown)}`));
        },
        onDefect: (thrown) => log(`run ${runId}: ${messageOf(thrown)}`),
      },
      { ...access, budgets: access.budgets && this.#countExecuting(principal, access.budgets) },
    );
    return { service, configuration };
  }

  /** Calls in progress count towards the budgets of their tools. */
  #countExecuting<T extends { spent: (budget: Budget) => Spent }>({ ownerId }: Owner, budgets: T): T {
    const spent = (budget: Budget): Spent => {
      const before = budgets.spent(budget);
      if (budget.of !== 'tool') return before;
      const own = [...this.#executing.values()].filter((each) => each.ownerId === ownerId && each.tool === budget.tool);
      return { ...before, calls: before.calls + own.length };
    };
    return { ...budgets, spent };
  }

  /** What decisions about a call depend on, from what is stored: the state that the tab commits could say anything. */
  async #getState(
    principal: Owner,
    { id: runId, conversationId, agentId, createdAt }: RunRecord,
    { limits }: RunConfiguration,
    { raised }: StoredToolCall,
  ): Promise<AgentState> {
    const { storage, clock } = this.#options;
    const of = { runId, conversationId, agentId, at: clock.now() };
    const spent = { run: await storage.usage.spent(principal, { of: 'run' }, of), turn: ZERO_SPENT };
    const state = initialState({ runId, conversationId, startedAt: createdAt, limits });
    return { ...state, spent, raised: mergeBudgets([], raised) };
  }

  async #inTurn<T>(ownerId: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#deciding.get(ownerId) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => undefined);
    this.#deciding.set(ownerId, settled);
    try {
      return await turn;
    } finally {
      if (this.#deciding.get(ownerId) === settled) this.#deciding.delete(ownerId);
    }
  }

  #waitAtMost(ms: number, over?: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(Math.max(0, ms), resolve);
      void over?.then(() => {
        cancel();
        resolve();
      });
    });
  }
}

function toDefinition({ tool, name, inputSchema, builtIn, ...of }: IndexedTool): ListedTools['tools'][number] {
  const { title, description, outputSchema, annotations } = of;
  return { tool, name, inputSchema, builtIn, ...defined({ title, description, outputSchema, annotations }) };
}

function getName({ runId, callId }: CallKey): string {
  return `${runId} ${callId}`;
}

/** @throws ToolyardError `conflict` if the run uses the id of an earlier call for another one */
function checkSameCall(row: StoredTabCall, { row: wanted }: StoredToolCall): void {
  const isSame =
    formatToolReference(row.tool) === formatToolReference(wanted.tool) && isSameJson(row.arguments, wanted.arguments);
  if (isSame) return;
  throw createConflictError(say`The call ${row.callId} was made with another tool or other arguments.`);
}

function processGone({ name }: RunnableCall): ToolResult {
  const message = say`The process that called "${name}" has ended; it is unknown whether the call took effect. Do not repeat it.`;
  const error: ErrorInfo = createErrorInfo({ code: 'process_gone', message });
  return { content: [{ type: 'text', text: message.text }], isError: true, outcome: 'unknown', error };
}

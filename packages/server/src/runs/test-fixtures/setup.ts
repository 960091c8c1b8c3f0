import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FunctionToolGroup, ToolSource } from '@toolyard/agent-host';
import { ASK_USER_TOOLS, FunctionTools } from '@toolyard/agent-host';
import type { CallToolOptions, IndexedTool, ToolHost } from '@toolyard/mcp-host';
import { checkArguments } from '@toolyard/mcp-host';
import type {
  Clock,
  Failpoint,
  JsonObject,
  Message,
  ModelReference,
  Price,
  Owner,
  ResolvedAgentConfiguration,
  RunCommit,
  RunEvent,
  RunStore,
  SentMessage,
  TaskHandle,
  ToolReference,
  ToolResult,
} from '@toolyard/protocol';
import { DEFAULT_LIMITS, defined, systemClock, ToolyardError } from '@toolyard/protocol';
import type { ModelRuntime } from '@toolyard/model-runtime';
import type { SharedStorage, Storage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import { createIds, eventually } from '@toolyard/testing';
import { findBudgetLayer } from '../../config/raised-budget.ts';
import type { RunHub } from '../../live/hub.ts';
import { createLiveHub } from '../../live/hub.ts';
import { createLiveStreams } from '../../live/streams.ts';
import type { Configurations, LiveStreams, ModelAbilitiesService, ServerWait } from '../../services.ts';
import { createTabToolSource } from '../../tabs/tab-tool-source.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import type { DurableRuns } from '../start/create-run-service.ts';
import { createRunService } from '../start/create-run-service.ts';

export const ANNE: Owner = { ownerId: 'anne' };
export const BERT: Owner = { ownerId: 'bert' };

/** A tool of the fake server `desk`. */
export type FakeTool = {
  builtIn?: boolean;
  /** Default: as `builtIn`. */
  readOnly?: boolean;
  /** Schema of its arguments; `inInterrupt` false: too long to be part of an interrupt. */
  inputSchema?: JsonObject;
  inInterrupt?: boolean;
  /** Default: `desk`. */
  serverId?: string;
  call: (args: JsonObject, options: CallToolOptions) => ToolResult | Promise<ToolResult>;
  /** Waits for the task of an earlier call. */
  resume?: (handle: TaskHandle, options: CallToolOptions) => ToolResult | Promise<ToolResult>;
};

export type RunBenchOptions = {
  /** Limits of the model. */
  abilities?: ModelAbilitiesService;
  /** By id, if there are several. */
  model: ModelRuntime | ((modelId: string) => ModelRuntime);
  tools?: Record<string, FakeTool>;
  failpoint?: Failpoint;
  clock?: Clock;
  maxPages?: number;
  /** Price of the model; default: unknown. */
  price?: Price;
  configuration?: Partial<ResolvedAgentConfiguration>;
  /** Default: the layers of {@link configuration}, conversation and run. */
  configurations?: (storage: Storage) => Configurations;
  /** Function tools besides `ask_user`. */
  functions?: FunctionToolGroup;
  /** Waits before a run gets its tools; default: does not wait. */
  awaitServers?: (signal: AbortSignal, wait: ServerWait) => Promise<void>;
  /** Servers without a sandbox; default: none. */
  unsandboxed?: readonly string[];
  /** Called before permissions are read. */
  beforePermissions?: () => void;
  /** Called before a batch of commits is stored, which waits for it. */
  beforeCommit?: (items: readonly RunCommit[], storage: Storage) => void | Promise<void>;
  telemetry?: Telemetry;
  /** False: queues runs without executing them, like a process with the role `web`. */
  executesRuns?: false;
  /** Resumes stored runs; default true. */
  start?: boolean;
};

/** A process with its runs, on a data folder. */
export type RunBench = {
  storage: Storage;
  runs: DurableRuns;
  hub: RunHub;
  streams: LiveStreams;
  log: string[];
  /** Creates a conversation and returns its id. */
  conversation(id?: string, principal?: Owner): Promise<string>;
  say(conversationId: string, text: string, more?: Partial<Parameters<DurableRuns['send']>[2]>): Promise<SentMessage>;
  /** Sends a message and returns the id of the run. */
  ask(conversationId: string, text: string): Promise<string>;
  /** All stored events, once the run has ended or is parked. */
  rest(runId: string): Promise<readonly RunEvent[]>;
  events(runId: string): readonly RunEvent[];
  branch(conversationId: string): Promise<Message[]>;
  all(conversationId: string): Promise<Message[]>;
  /** Stops everything like a crash: nothing more is stored. */
  die(): void;
};

const processes = createIds('process');
const open: { bench: RunBench }[] = [];
const folders: string[] = [];

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-runs-'));
  folders.push(folder);
  return folder;
}

/** Call after each test. */
export async function cleanUp(): Promise<void> {
  for (const { bench } of open.splice(0)) {
    await bench.runs.close();
    bench.storage.close();
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function answers(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: false, outcome: 'done' };
}

export async function openBench(folder: string, options: RunBenchOptions): Promise<RunBench> {
  const { clock = systemClock } = options;
  const opened = await openStorage({
    folder,
    clock,
    ...defined({ maxPages: options.maxPages }),
  });
  const storage: Storage = {
    ...opened,
    permissions: {
      ...opened.permissions,
      list(...of) {
        options.beforePermissions?.();
        return opened.permissions.list(...of);
      },
    },
  };
  const hub = createLiveHub();
  const log: string[] = [];
  const prefix = processes.next();
  const commit: RunStore['commit'] = (items) => {
    const first = options.beforeCommit?.(items, opened);
    return first ? first.then(() => opened.runs.commit(items)) : opened.runs.commit(items);
  };
  // Also wraps replacements by a test.
  const underRuns: SharedStorage = {
    ...storage,
    runs: Object.assign(Object.create(storage.runs) as RunStore, { commit }),
  };
  const configurations = options.configurations?.(storage);
  const runs = runsOver(underRuns, {
    ...options,
    resolved: configurations,
    clock,
    hub,
    log: (line) => log.push(line),
    prefix,
  });
  const streams = createLiveStreams({ store: storage.runs, hub, clock, boot: prefix });
  let conversations = 0;

  const bench: RunBench = {
    storage,
    runs,
    hub,
    streams,
    log,
    async conversation(id = `c${++conversations}`, principal = ANNE) {
      await storage.conversations.create(principal, { id, title: '', at: clock.now() });
      return id;
    },
    say: (conversationId, text, more = {}) =>
      runs.send(ANNE, conversationId, { parts: [{ type: 'text', text }], ...more }),
    async ask(conversationId, text) {
      const sent = await bench.say(conversationId, text);
      if ('queued' in sent) throw new Error('the message was queued');
      return sent.run.id;
    },
    events: (runId) => storage.runs.readEvents(ANNE, runId, 0, 100_000) ?? [],
    async rest(runId) {
      await eventually(
        () => {
          const status = storage.runs.getRun(ANNE, runId)?.status;
          return status !== undefined && status !== 'running' && status !== 'queued';
        },
        { what: `the end of run ${runId}` },
      );
      return bench.events(runId);
    },
    branch: (conversationId) => storage.messages.branch(ANNE, conversationId),
    all: (conversationId) => storage.messages.all(ANNE, conversationId),
    die: () => storage.close(),
  };
  open.push({ bench });
  if (options.start !== false) await runs.start();
  return bench;
}

export type RunsOptions = Omit<RunBenchOptions, 'clock' | 'maxPages' | 'start' | 'configurations'> & {
  resolved?: Configurations | undefined;
  clock: Clock;
  hub: RunHub;
  log: (line: string) => void;
  /** Prefix of the ids of this process. */
  prefix: string;
  leaseMs?: number;
};

/** On the system clock a test waits for the next scan for runs without a lease. */
const CLAIM_EXPIRED_EVERY_MS = 200;

/** The runs of a process on a storage, with fakes for everything else. */
export function runsOver(storage: SharedStorage, options: RunsOptions): DurableRuns {
  const { model, clock, hub, log, prefix, failpoint, leaseMs } = options;
  const functions = new FunctionTools([ASK_USER_TOOLS, ...(options.functions ? [options.functions] : [])]);
  return createRunService({
    storage,
    ...defined({ leaseMs }),
    ...(clock === systemClock ? { claimExpiredEveryMs: CLAIM_EXPIRED_EVERY_MS } : {}),
    hub,
    clock,
    ids: createIds(prefix),
    log,
    models: {
      async open(_principal, { providerId, modelId }) {
        if (providerId !== 'gone') return typeof model === 'function' ? model(modelId) : model;
        throw new ToolyardError({ code: 'model_not_found', message: 'The provider "gone" is not there.' });
      },
      price: () => Promise.resolve(options.price),
      abilities: () => Promise.resolve(options.abilities ?? {}),
    },
    servers: {
      select: async (_configuration, signal, wait = {}) => {
        await options.awaitServers?.(signal, wait);
        return createSelection(options.tools ?? {});
      },
      approve: () => undefined,
      unsandboxed: () => Promise.resolve([...(options.unsandboxed ?? [])]),
    },
    functions,
    tabs: createTabToolSource({ storage, hub, clock }),
    secrets: {
      seal: (_principal, _name, text) => Promise.resolve(Buffer.from(text).toString('base64')),
      unseal: (_principal, _name, sealed) => Promise.resolve(Buffer.from(sealed, 'base64').toString()),
    },
    configurations: options.resolved ?? {
      whereToRaise: (...of) => findBudgetLayer({ storage, fileDefaults: {} }, ...of),
      resolve: (_principal, { agentId, conversation, run }) =>
        Promise.resolve({
          model: { providerId: 'scripted', modelId: 'scripted-1' } satisfies ModelReference,
          instructions: '',
          parameters: {},
          toolMode: 'native',
          servers: {},
          disabledTools: [],
          intervention: 'manual',
          interventionRules: [],
          budgets: [],
          ...options.configuration,
          ...conversation,
          ...run,
          ...(agentId === null ? {} : { agent: { id: agentId, title: agentId } }),
          limits: {
            ...DEFAULT_LIMITS,
            ...options.configuration?.limits,
            ...conversation?.limits,
            ...run?.limits,
          },
        }),
    },
    ...defined({ failpoint, executesRuns: options.executesRuns }),
    ...(options.telemetry ? { telemetry: options.telemetry } : {}),
  });
}

function createSelection(tools: Record<string, FakeTool>): ToolHost & ToolSource {
  const indexed = Object.entries(tools).map(
    ([name, { builtIn = false, serverId = 'desk', inputSchema = { type: 'object' } }]): IndexedTool => ({
      tool: { serverId, name },
      name,
      inputSchema,
      builtIn,
      checkArguments: (args) => checkArguments(inputSchema, args),
    }),
  );
  const contextSources = { serverInstructions: [] };
  const find = (tool: ToolReference): FakeTool | undefined => tools[tool.name];
  return {
    tools: () => indexed,
    resolve: (name) => indexed.find((tool) => tool.name === name),
    async callTool(tool, args, options = {}) {
      const found = find(tool);
      if (!found) throw new Error(`no tool ${tool.name}`);
      return found.call(args, options);
    },
    async resumeTask(handle, options = {}) {
      const resume = find(handle.tool)?.resume;
      if (!resume) throw new Error(`no task of ${handle.tool.name}`);
      return resume(handle, options);
    },
    contextSources: () => contextSources,
    policyFacts: (tool) => {
      const found = find(tool);
      if (!found) return undefined;
      const { builtIn = false, readOnly = builtIn, inputSchema, inInterrupt = true } = found;
      const about = () => ({ definition: 'd1', ...(inputSchema && inInterrupt ? { inputSchema } : {}) });
      return { builtIn, readOnly, about };
    },
    async refresh() {},
  };
}

/** Text and author of every message of a branch. */
export function transcriptLines(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    const text = message.parts
      .map((part) => {
        if (part.type === 'text') return part.text;
        if (part.type === 'tool_result')
          return part.result.content.map((item) => ('text' in item ? item.text : item.type)).join('');
        return `<${part.type}>`;
      })
      .join('');
    return `${message.role}: ${text}`;
  });
}

import { createHash } from 'node:crypto';
import type { DurableJournal, RunConversation, RunLedger } from '@toolyard/agent-host/durable';
import type { AskQuestion, FunctionTools, KeepPrelude, Questioning, RunToolHost } from '@toolyard/agent-host';
import { createAgentExecutors, sourcesOf, wantsCompression } from '@toolyard/agent-host';
import type { Brain, ContextSources, Executors, Gate, InterventionOptions } from '@toolyard/agent-runtime';
import { GeneralChatAgent, InterventionChecker, isHarmless, refusalOf } from '@toolyard/agent-runtime';
import type { ModelRuntime } from '@toolyard/model-runtime';
import type { Clock, Owner, ToolReference, UsageEntry } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import type { AutoConfirmation } from '../config/auto-confirmation.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Models, Servers } from '../services.ts';
import type { TabLending } from '../tabs/tab-lending.ts';
import { untilStored } from '../until-stored.ts';
import { RunBudgets } from './run-budgets.ts';
import { needsFacts } from './needs-facts.ts';
import { RunPermissions } from './run-permissions.ts';
import type { RunConfiguration } from './stored-run.ts';

export type RunHostParts = {
  principal: Owner;
  runId: string;
  agentId: string | null;
  begunAt: number;
  configuration: RunConfiguration;
  conversation: RunConversation;
  journal: DurableJournal;
  ledger: RunLedger;
  clock: Clock;
  signal: AbortSignal;
  /** Puts a question while the call it belongs to is open. */
  askNow: AskQuestion;
  /** Told of every call of a model and of a tool. */
  used: (entry: UsageEntry) => void;
  /** Told what was thrown where nothing should be. */
  onDefect: (thrown: unknown) => void;
};

export type RunHostServices = {
  models: Pick<Models, 'open' | 'facts'>;
  servers: Pick<Servers, 'select'>;
  storage: Pick<SharedStorage, 'permissions' | 'usage' | 'requestPreludes'>;
  secrets: Pick<Secrets, 'seal' | 'unseal'>;
  tabs: Pick<TabLending, 'select'>;
  auto: Pick<AutoConfirmation, 'view'>;
  /** The function tools of this process. */
  functions: FunctionTools;
  /** How symbolic links are resolved when calls are judged, and where Toolyard keeps its own data. */
  policy?: () => NonNullable<InterventionOptions['surroundings']>;
  /** Aborted when this process lets go of its runs. */
  stopping: AbortSignal;
  log: (line: string) => void;
};

/** What a run is driven with; `refresh` brings its permissions up to date, `count` what was used of its budgets. */
export type OpenedHost = {
  brain: Brain;
  executors: Executors;
  refresh: (called: readonly ToolReference[]) => Promise<void>;
  count?: () => Promise<void>;
};

/**
 * Joins a run to its model and its tools as they are now: a key or a server that was changed while the run rested
 * counts from here on. What its owner decides about the tools counts from the next call on.
 *
 * @throws ToolyardError where the model's provider is gone.
 */
export async function openRunHost(parts: RunHostParts, services: RunHostServices): Promise<OpenedHost> {
  const { principal, runId, begunAt, configuration, conversation, signal } = parts;
  const [model, own, abilities] = await Promise.all([
    services.models.open(principal, configuration.model),
    services.servers.select(configuration, signal),
    services.models.facts(principal, configuration.model, { ask: needsFacts(conversation.messages()) }),
  ]);
  const lent = { principal, runId, conversationId: conversation.id, begunAt, configuration };
  const tools = await services.tabs.select(own, lent);
  const contextSources = sourcesOf(configuration, tools, abilities);
  const permissions = new RunPermissions(services.storage.permissions, principal, conversation.id);
  const isAuto = configuration.intervention === 'auto';
  // A server without a sandbox may be added while the run works: the mode counts only beside those that are confirmed.
  let unconfirmed = isAuto ? await unconfirmedServers(parts, services) : [];
  const refresh = async (called: readonly ToolReference[]): Promise<void> => {
    await Promise.all([permissions.refresh(), tools.refresh(called)]);
    if (isAuto) unconfirmed = await unconfirmedServers(parts, services);
  };
  const judging = {
    rules: configuration.interventionRules,
    lostRules: configuration.lostRules === true,
    ...(services.policy ? { surroundings: services.policy() } : {}),
    permission: (tool: ToolReference) => permissions.of(tool),
    lookUp: (tool: ToolReference) => tools.judged(tool),
  } satisfies Omit<InterventionOptions, 'mode'>;
  const checker = new InterventionChecker({ ...judging, mode: configuration.intervention });
  const cautious = new InterventionChecker({ ...judging, mode: 'allow-list' });
  const gate: Gate = (tool, args) => {
    const verdict = checker.check(tool, args);
    if (unconfirmed.length === 0 || verdict.decision !== 'run') return verdict;
    // Mode `auto` allows it: the approval card says why it asks all the same.
    const asked = cautious.check(tool, args);
    return asked.decision === 'ask' ? { ...asked, about: { ...asked.about, autoUnconfirmed: unconfirmed } } : asked;
  };
  const { agentId, clock } = parts;
  const budgets =
    configuration.budgets.length > 0
      ? new RunBudgets(services.storage.usage, principal, {
          conversationId: conversation.id,
          agentId,
          configuration,
          clock,
        })
      : null;
  const questions = questioning(parts, services);
  const keepPrelude = keeperOf(parts, services);
  const executors = executorsOf(parts, {
    model,
    tools,
    gate,
    refresh,
    questions,
    contextSources,
    keepPrelude,
    repeatable: (tool) => isHarmless(tools.judged(tool)),
    ...(budgets ? { budgets } : {}),
  });
  const brain = new GeneralChatAgent({
    gate,
    ...(budgets ? { budgets: budgets.check } : {}),
    onlyAsks: (tool) => services.functions.onlyAsks(tools.tools(), tool),
    isNearlyFull: () => wantsCompression({ conversation, contextSources, tools }),
  });
  return { brain, executors, refresh, ...(budgets ? { count: budgets.refresh } : {}) };
}

async function unconfirmedServers(
  { principal, configuration }: Pick<RunHostParts, 'principal' | 'configuration'>,
  { auto }: Pick<RunHostServices, 'auto'>,
): Promise<string[]> {
  return (await auto.view(principal, configuration.servers)).unconfirmed;
}

/** What went along with a request is stored in the background: the request does not wait for it. */
function keeperOf(
  { principal, runId, conversation, clock }: RunHostParts,
  { storage, log, stopping }: Pick<RunHostServices, 'storage' | 'log' | 'stopping'>,
): KeepPrelude {
  return (prelude) => {
    const id = createHash('sha256').update(JSON.stringify(prelude)).digest('hex');
    const put = (): unknown =>
      storage.requestPreludes.put(principal, conversation.id, { id, prelude, at: clock.now() });
    untilStored(put, { clock, signal: stopping }).catch((error: unknown) => {
      log(`run ${runId}: what was sent could not be kept: ${error instanceof Error ? error.message : String(error)}`);
    });
    return id;
  };
}

/** What a server wants kept is nobody's business, and is of use to this run only. */
function questioning(
  { principal, configuration, runId, askNow }: RunHostParts,
  { secrets }: RunHostServices,
): Questioning {
  if (configuration.intervention === 'headless') return { who: 'nobody' };
  const name = `run ${runId}`;
  return {
    who: 'park',
    ask: askNow,
    seal: (text) => secrets.seal(principal, name, text),
    open: (sealed) => secrets.unseal(principal, name, sealed),
  };
}

/** What a run needs that only comes to its end: it asks no model and calls no tool. */
export function openEndingHost(parts: RunHostParts): OpenedHost {
  const checker = new InterventionChecker({ mode: 'headless', permission: () => undefined, lookUp: () => undefined });
  const gate: Gate = (tool, args) => checker.check(tool, args);
  const refresh = (): Promise<void> => Promise.resolve();
  const executors = executorsOf(parts, {
    model: NO_MODEL,
    tools: NO_TOOLS,
    gate,
    refresh,
    questions: { who: 'nobody' },
    contextSources: () => ({ serverInstructions: [] }),
    repeatable: () => false,
  });
  return { brain: new GeneralChatAgent({ gate }), executors, refresh };
}

function executorsOf(
  parts: RunHostParts,
  {
    model,
    tools,
    gate,
    refresh,
    questions,
    budgets,
    contextSources,
    keepPrelude,
    repeatable,
  }: {
    model: ModelRuntime;
    tools: RunToolHost;
    gate: Gate;
    refresh: (called: readonly ToolReference[]) => Promise<void>;
    questions: Questioning;
    budgets?: RunBudgets;
    contextSources: () => ContextSources;
    keepPrelude?: KeepPrelude;
    repeatable: (tool: ToolReference) => boolean;
  },
): Executors {
  const { principal, configuration, conversation, journal, ledger, clock, signal, used, onDefect } = parts;
  return createAgentExecutors({
    model,
    modelId: configuration.model.modelId,
    parameters: configuration.parameters,
    toolMode: configuration.toolMode,
    tools,
    principal: principal.ownerId,
    conversation,
    journal,
    ledger,
    clock,
    signal,
    contextSources,
    ...(keepPrelude ? { keepPrelude } : {}),
    asking: configuration.intervention === 'headless' ? { who: 'nobody' } : { who: 'park' },
    questions,
    used: (entry) => used(withProvider(entry, configuration.model)),
    ...(budgets ? { budgets } : {}),
    // A decision that lasts is stored where it is given: at the door.
    remember() {},
    async forbidden(tool, args) {
      await refresh([tool]);
      return refusalOf(gate(tool, args));
    },
    repeatable,
    onDefect,
  });
}

/** A runtime is called what its wire or its record calls it: what counts is the id the owner knows the provider by. */
function withProvider(entry: UsageEntry, { providerId }: RunConfiguration['model']): UsageEntry {
  return entry.kind === 'model' ? { ...entry, providerId } : entry;
}

const NO_MODEL: ModelRuntime = {
  provider: 'none',
  async *chat() {
    throw noMore();
  },
  async models() {
    throw noMore();
  },
};

const NO_TOOLS: RunToolHost = {
  tools: () => [],
  resolve: () => undefined,
  async callTool(_tool: ToolReference) {
    throw noMore();
  },
  async resumeTask() {
    throw noMore();
  },
};

function noMore(): ToolyardError {
  return new ToolyardError({ code: 'internal', message: 'A run that ends asks nothing more.' });
}

import type {
  Budget,
  ErrorInfo,
  JsonObject,
  JudgedCall,
  ResolvedAgentConfiguration,
  Spent,
  ToolReference,
} from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { Gate, InterventionOptions, PolicyVerdict } from '@toolyard/agent-runtime';
import {
  BudgetChecker,
  GeneralChatAgent,
  GroupAgent,
  groupHistory,
  InterventionChecker,
  isHarmless,
  messageTooLong,
  refusalOf,
} from '@toolyard/agent-runtime';
import type { ModelRuntime } from '@toolyard/model-runtime';
import { createOfferedTools } from './built-in/offered-tools.ts';
import type { ModelAbilities } from './context-sources.ts';
import { createSources } from './context-sources.ts';
import type { DriveOptions } from './drive-run.ts';
import { createAgentExecutors } from './executors/create-agent-executors.ts';
import { wantsCompression } from './executors/request-inputs.ts';
import type { FunctionTools } from './functions/function-tools.ts';
import type { RunSkills } from './functions/tool.ts';
import type { GroupRole } from './functions/functions-of-run.ts';
import type { RunGroup } from './run-group.ts';
import type { RunHost } from './run-host.ts';
import { functionFacts, offeredIn } from './functions/functions-of-run.ts';
import type { ToolSource } from './run-tool-set.ts';
import { RunToolSet } from './run-tool-set.ts';

type Configuration = Partial<ResolvedAgentConfiguration> &
  Pick<ResolvedAgentConfiguration, 'intervention' | 'interventionRules' | 'parameters' | 'toolMode'>;

type RunAccessBudgets = {
  budgets: readonly Budget[];
  spent: (budget: Budget) => Spent;
  refresh: () => void | Promise<void>;
  /** For a child run: the error if a budget of a run above it is exhausted, as of the last `refresh`. */
  ofParents?: () => ErrorInfo | null;
  /** The error if the run must not continue, as of the last `refresh`. */
  stopped?: () => ErrorInfo | null;
};

/** What a run works with besides its configuration: its model, its tools, and what is known about both. */
export type RunAccess = {
  model: ModelRuntime;
  abilities: ModelAbilities;
  /** The tools of the run; see {@link RunToolSet}. */
  sources: readonly ToolSource[];
  /** The tools among those of {@link sources} that are executed in place. */
  functions?: FunctionTools;
  /** Why the run must neither see nor call a tool; undefined if it may. Absent: it may use all. */
  refusal?: ((tool: ToolReference) => ErrorInfo | undefined) | undefined;
  /** The user's stored decision about a tool; undefined without one. */
  permission: InterventionOptions['permission'];
  /** Updates the stored decisions; called before calls are checked and before each call is made. */
  refresh?: () => Promise<void>;
  /**
   * The verdict of the process that makes the call, if that is another one; undefined for calls of this process, and for
   * calls that {@link ToolSource.refresh} did not receive.
   */
  judged?: (call: JudgedCall) => PolicyVerdict | undefined;
  callContext?: InterventionOptions['callContext'] | undefined;
  roots?: RunHost['roots'];
  /** Enabled servers that the user has not confirmed for the mode `auto`: calls it would allow need approval. */
  unconfirmed?: (() => readonly string[]) | undefined;
  /** Usage of these budgets apart from the run and its turn; `refresh` updates it. */
  budgets?: RunAccessBudgets | undefined;
  keepPrelude?: RunHost['keepPrelude'];
  /** Absent: no skill is on. */
  skills?: RunSkills | undefined;
  /** Absent: tools that delegate tasks are not offered. */
  subAgents?: RunHost['subAgents'];
  /** The run of a sub-agent: it is offered no tools that write memory. */
  isChild?: boolean;
  summaries?: RunHost['summaries'];
  /** Set for the run of a group. */
  group?: RunGroup | undefined;
  /** The run of a member that the conversation was handed to. */
  hasConversation?: boolean;
};

/** What the executors get from the configuration and the access of the run. */
type Derived =
  | 'offeredTools'
  | 'model'
  | 'summaries'
  | 'agent'
  | 'parameters'
  | 'toolMode'
  | 'tools'
  | 'contextSources'
  | 'keepPrelude'
  | 'skills'
  | 'roots'
  | 'subAgents'
  | 'group'
  | 'forbidden';

export type RunHostOptions = Omit<RunHost, Derived | 'repeatable' | 'budgets' | 'timeZone'> & {
  configuration: Configuration;
  /** The id under which the user knows the provider; default: the name of the model runtime. */
  providerId?: string;
  /** False if approvals cannot be requested although the mode is not `headless`; default true. */
  asks?: boolean;
};

/**
 * Connects a run to its model and tools: one policy, one brain and one set of executors, the same in a process, on the
 * server and in a tab. With `access` null the run can only end: it makes no model request and no call.
 */
export function createRunHost(
  options: RunHostOptions,
  access: RunAccess | null,
): Pick<DriveOptions, 'brain' | 'executors' | 'refresh' | 'count'> & {
  gate: Gate;
  tools: RunToolSet;
  contextSources: RunHost['contextSources'];
} {
  const { configuration, modelId, providerId, conversation, used } = options;
  const { skills, subAgents, group, hasConversation = false } = access ?? NO_ACCESS;
  const { model, functions, abilities, permission, callContext, unconfirmed, keepPrelude, summaries } =
    access ?? NO_ACCESS;
  const { workspace, disabledTools } = configuration;
  const role = roleIn(group, hasConversation);
  const has = { workspace, disabledTools, skills, subAgents, isChild: access?.isChild === true, group: role };
  const tools = new RunToolSet({
    sources: access?.sources ?? [],
    functions,
    isOffered: offeredIn(has, functions),
    refusal: access?.refusal,
  });
  const ownGate = createGate(access ? configuration.intervention : 'headless', unconfirmed, {
    asks: options.asks,
    rules: configuration.interventionRules,
    lostRules: configuration.lostRules === true,
    callContext,
    permission,
    lookUp: (tool) => functionFacts(tool, { tools, functions, workspace }),
    diff: (tool, args) => functions?.findDiff(tools.tools(), tool, args, workspace),
  });
  const gate: Gate = (tool, args, textCall) =>
    access?.judged?.({ tool, arguments: args, ...defined({ textCall }) }) ?? ownGate(tool, args, textCall);
  const budgets = createBudgetCheck(access, `${providerId ?? model.provider}/${modelId}`);
  // The list is of use only with the tool that reads them.
  const readsSkills = functions !== undefined && tools.tools().some((each) => functions.has('needsSkills', each));
  const contextSources = createSources(configuration, tools, abilities, readsSkills ? skills?.list : undefined);
  const offeredTools = createOfferedTools({
    tools: () => tools.tools(),
    messages: () => conversation.messages(),
    window: abilities.contextWindow,
    percent: configuration.toolSearchPercent,
  });
  const refresh = (called: readonly JudgedCall[]): Promise<void> | undefined => {
    const pending = [access?.refresh?.(), tools.refresh(called)].filter((each) => each !== undefined);
    return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
  };
  const forbidden = (tool: ToolReference, args: JsonObject): ErrorInfo | undefined | Promise<ErrorInfo | undefined> => {
    const refreshed = refresh([{ tool, arguments: args }]);
    const judge = (): ErrorInfo | undefined => refusalOf(gate(tool, args));
    return refreshed ? refreshed.then(judge) : judge();
  };
  const executors = createAgentExecutors({
    ...options,
    model,
    agent: configuration.agent,
    parameters: configuration.parameters,
    toolMode: configuration.toolMode,
    tools,
    contextSources,
    offeredTools,
    workspace,
    roots: access?.roots,
    keepPrelude,
    skills,
    subAgents,
    group,
    summaries,
    used: used && ((entry) => used(entry.kind === 'model' && providerId ? { ...entry, providerId } : entry)),
    budgets,
    forbidden,
    repeatable: (tool) => isHarmless(tools.policyFacts(tool)),
  });
  const chat = new GeneralChatAgent({
    gate,
    budgets: budgets?.check,
    budgetsOfParents: budgets?.ofParents,
    stopped: access?.budgets?.stopped,
    onlyAsks: (tool) => functions?.onlyAsks(tools.tools(), tool) === true,
    tooLong: () => messageTooLong(conversation.messages(), abilities.contextWindow),
    isNearlyFull: () => wantsCompression({ conversation, contextSources, tools, offeredTools }),
  });
  const brain = group
    ? new GroupAgent({ chat, settings: () => group.settings, history: () => groupHistory(conversation.messages()) })
    : chat;
  return { brain, executors, refresh, count: budgets?.refresh, gate, tools, contextSources };
}

function roleIn(group: RunGroup | undefined, hasConversation: boolean): GroupRole | undefined {
  if (group) return 'decides';
  return hasConversation ? 'has_conversation' : undefined;
}

function createGate(
  mode: InterventionOptions['mode'],
  unconfirmed: RunAccess['unconfirmed'],
  options: Omit<InterventionOptions, 'mode'> & { diff: (tool: ToolReference, args: JsonObject) => string | undefined },
): Gate {
  const checker = new InterventionChecker({ ...options, mode });
  const allowListChecker = new InterventionChecker({ ...options, mode: 'allow-list' });
  const withDiff = (verdict: PolicyVerdict, tool: ToolReference, args: JsonObject): PolicyVerdict => {
    const diff = verdict.decision === 'ask' ? options.diff(tool, args) : undefined;
    return verdict.decision === 'ask' && diff !== undefined
      ? { ...verdict, about: { ...verdict.about, diff } }
      : verdict;
  };
  return (tool, args, textCall) => {
    const verdict = checker.check(tool, args, textCall);
    const servers = unconfirmed?.() ?? [];
    if (servers.length === 0 || verdict.decision !== 'run') return withDiff(verdict, tool, args);
    // The mode `auto` would allow the call: the interrupt says why it asks nevertheless.
    const asked = withDiff(allowListChecker.check(tool, args, textCall), tool, args);
    return asked.decision === 'ask' ? { ...asked, about: { ...asked.about, autoUnconfirmed: [...servers] } } : asked;
  };
}

function createBudgetCheck(access: RunAccess | null, model: string): RunHost['budgets'] {
  if (!access?.budgets) return undefined;
  const { budgets, spent, refresh, ofParents = () => null } = access.budgets;
  const checker = new BudgetChecker({ budgets, model, spent });
  return {
    refresh,
    ofParents,
    check: (state, need) => checker.check(state, need),
    dollarsOnly: (state) => checker.dollarsOnly(state),
  };
}

const NO_ACCESS: RunAccess = {
  model: {
    provider: 'none',
    async *chat() {
      throw createEndingRunError();
    },
    models: () => Promise.reject(createEndingRunError()),
  },
  abilities: {},
  sources: [],
  permission: () => undefined,
};

function createEndingRunError(): ToolyardError {
  return new ToolyardError({ code: 'internal', message: 'A run that is ending must not call a model or a tool.' });
}

import type {
  AgentConfiguration,
  Budget,
  InterventionMode,
  ResolvedAgentConfiguration,
  SubAgentTask,
} from '@toolyard/protocol';
import { defined, formatToolReference, mergeBudgets, say } from '@toolyard/protocol';
import type { StartSubAgents } from '@toolyard/agent-host';
import { createInvalidError } from '../../errors.ts';
import type { RunConfiguration, SubAgentOrigin } from '../worker/stored-run.ts';

/** The time limit of a sub-agent if neither its task nor its agent has one. */
const DEFAULT_WALL_TIME_MS = 15 * 60_000;

/** The run that delegates a task, as far as the configuration of a child run depends on it. */
export type ParentRun = {
  configuration: RunConfiguration;
  runId: string;
  conversationId: string;
  agentId: string | null;
  startedAt: number;
  /** Budgets that the user raised for the run. */
  raised: readonly Budget[];
  tools: StartSubAgents['tools'];
  leafId: string | null;
};

/**
 * The configuration of a child run. `own` is that of its agent; without one it works like its parent. It never has more
 * tools or a laxer mode than the parent, and never more turns, time or depth.
 */
export function childConfiguration(
  task: SubAgentTask,
  {
    parent,
    own,
    agentId,
    now,
  }: { parent: ParentRun; own: RunConfiguration | null; agentId: string | null; now: number },
): RunConfiguration {
  const { configuration: above } = parent;
  const base = own ?? above;
  // The folder is the parent's as well: tools that need one are offered only where the parent has them.
  const { subAgent: _of, workspace: _folder, inputTemplate, ...rest } = base;
  return {
    ...rest,
    // The template of the parent is for what the user writes.
    ...defined({ workspace: above.workspace, inputTemplate: own ? inputTemplate : undefined }),
    limits: getLimits(task, { base, parent, now }),
    servers: mergeServers(above.servers, base.servers),
    disabledTools: [...new Set([...above.disabledTools, ...base.disabledTools, ...toolsLeftOut(task, parent.tools)])],
    intervention: stricter(above.intervention, base.intervention),
    interventionRules: own
      ? [...above.interventionRules, ...own.interventionRules.filter(({ decision }) => decision !== 'allow')]
      : above.interventionRules,
    ...(above.lostRules || base.lostRules ? { lostRules: true as const } : {}),
    budgets: own ? own.budgets : above.budgets.filter(isNotOfTree),
    // Limits of the API key that started the tree.
    ...defined({ starter: above.starter }),
    subAgent: createOrigin(task, { parent, agentId }),
  };
}

/** Overrides of the conversation, for messages that a user sends there after the sub-agent has finished. */
export function childOverrides(configuration: RunConfiguration): AgentConfiguration {
  const { model, servers, disabledTools, intervention, interventionRules, limits, workspace } = configuration;
  const { maxDepth } = limits;
  return {
    model,
    servers,
    disabledTools,
    intervention,
    interventionRules,
    limits: { maxDepth },
    ...defined({ workspace }),
  };
}

function getLimits(
  { maxTurns, maxWallTimeMs }: SubAgentTask,
  { base, parent, now }: { base: RunConfiguration; parent: ParentRun; now: number },
): ResolvedAgentConfiguration['limits'] {
  const { limits: above } = parent.configuration;
  const { price: _price, ...limits } = base.limits;
  // The time a parent waits for the user does not count; it has at least a second, so that the error is its own.
  const left =
    above.maxWallTimeMs === undefined ? Infinity : Math.max(1_000, above.maxWallTimeMs - (now - parent.startedAt));
  return {
    ...limits,
    maxTurns: Math.min(maxTurns ?? limits.maxTurns, limits.maxTurns, above.maxTurns),
    maxWallTimeMs: Math.min(maxWallTimeMs ?? limits.maxWallTimeMs ?? DEFAULT_WALL_TIME_MS, left),
    maxSameCall: Math.min(limits.maxSameCall, above.maxSameCall),
    toolConcurrency: Math.min(limits.toolConcurrency, above.toolConcurrency),
    maxDepth: Math.min(limits.maxDepth, above.maxDepth - 1),
  };
}

/** A server is on only if both have it: one without a choice has its own default, which is the same for both. */
function mergeServers(above: Record<string, boolean>, own: Record<string, boolean>): Record<string, boolean> {
  const servers: Record<string, boolean> = {};
  for (const id of new Set([...Object.keys(above), ...Object.keys(own)])) {
    if (above[id] === false || own[id] === false) servers[id] = false;
    else if (above[id] === true && own[id] === true) servers[id] = true;
  }
  return servers;
}

/** Tools of the parent that the task does not name. A server without a named tool is left out with all its tools. */
function toolsLeftOut({ tools: named }: SubAgentTask, tools: ParentRun['tools']): string[] {
  if (named === undefined) return [];
  const unknown = named.filter((name) => !tools.some((each) => each.name === name));
  if (unknown.length > 0) {
    throw createInvalidError(
      say`A sub-agent cannot use ${unknown.map((name) => JSON.stringify(name)).join(', ')}: you have no such tool.`,
    );
  }
  return tools.filter(({ name }) => !named.includes(name)).map(({ tool }) => formatToolReference(tool));
}

const STRICTNESS: readonly InterventionMode[] = ['auto', 'allow-list', 'manual'];

/** The children of a run that asks no user ask no user either. */
function stricter(above: InterventionMode, own: InterventionMode): InterventionMode {
  if (above === 'headless' || own === 'headless') return 'headless';
  return STRICTNESS.indexOf(above) > STRICTNESS.indexOf(own) ? above : own;
}

function isNotOfTree({ of }: Budget): boolean {
  return of !== 'run' && of !== 'conversation';
}

function createOrigin(
  { context }: SubAgentTask,
  { parent, agentId }: { parent: ParentRun; agentId: string | null },
): SubAgentOrigin {
  const { configuration, conversationId, leafId } = parent;
  const before = configuration.subAgent;
  const tree = getTree(parent);
  return {
    ...tree,
    agents: [...tree.agents, ...(agentId ? [agentId] : [])],
    inherits:
      context === 'inherit'
        ? [...(before?.inherits ?? []), ...(leafId === null ? [] : [{ conversationId, leafId }])]
        : [],
  };
}

/** What a child run has of the runs above it, whatever its task. */
export function getTree(parent: ParentRun): Pick<SubAgentOrigin, 'conversations' | 'agents' | 'budgets'> {
  const { configuration, runId, conversationId, raised } = parent;
  const before = configuration.subAgent;
  const budgets = mergeBudgets(configuration.budgets, raised).filter((budget) => !isNotOfTree(budget));
  return {
    conversations: [...(before?.conversations ?? []), conversationId],
    agents: before?.agents ?? (parent.agentId === null ? [] : [parent.agentId]),
    budgets: [...(before?.budgets ?? []), ...budgets.map((budget) => ({ budget, runId, conversationId }))],
  };
}

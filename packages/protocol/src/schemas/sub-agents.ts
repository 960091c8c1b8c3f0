import { z } from 'zod';
import { errorInfo, namedObject, timestamp } from './common.ts';
import { runStatus } from './runs.ts';

/**
 * What a sub-agent knows of the conversation it was started from.
 * - `none`: its task only
 * - `summary`: a summary, written by the model of the parent run
 * - `inherit`: all messages up to the one that delegated the task
 */
const subAgentContext = z.enum(['none', 'summary', 'inherit']);
export type SubAgentContext = z.output<typeof subAgentContext>;

/** A task for a sub-agent. Limits can only be lowered: those of the parent run apply as well. */
export const subAgentTask = namedObject('SubAgentTask', {
  /** Title of its conversation; default: the beginning of the task. */
  title: z.string().min(1).max(200).exactOptional(),
  task: z.string().min(1).max(100_000),
  context: subAgentContext.exactOptional(),
  /** Id or title of an agent; default: the configuration of the parent run. */
  agent: z.string().min(1).max(300).exactOptional(),
  /** `provider/model`; default: the model of the agent. */
  model: z.string().min(1).max(300).exactOptional(),
  /** Names of tools it may use, of those of the parent run; default: all. */
  tools: z.array(z.string().max(300)).max(500).exactOptional(),
  maxTurns: z.int().min(1).exactOptional(),
  maxWallTimeMs: z.int().min(1).exactOptional().describe('In milliseconds'),
});
export type SubAgentTask = z.output<typeof subAgentTask>;

const subAgentView = namedObject('SubAgentView', {
  runId: z.string(),
  conversationId: z.string(),
  /** The call of the parent run that started it. */
  callId: z.string(),
  title: z.string(),
  agentId: z.string().nullable(),
  status: runStatus,
  createdAt: timestamp,
  endedAt: timestamp.nullable(),
  /** Number of its open interrupts. */
  asks: z.int(),
  /** Why it failed. */
  error: errorInfo.exactOptional(),
});
/** A child run, as a call that delegates tasks shows it. */
export type SubAgentView = z.output<typeof subAgentView>;
export const subAgentList = namedObject('SubAgentList', { items: z.array(subAgentView) });
export type SubAgentList = z.output<typeof subAgentList>;

import { z } from 'zod';
import { MAX_SUB_AGENT_TASKS } from '../sub-agents.ts';
import { errorInfo, existingId, namedObject, toolReference } from './common.ts';
import { groupCallKind } from './member-turns.ts';
import { assistantMessage } from './messages.ts';
import { runStatus } from './runs.ts';
import { subAgentTask } from './sub-agents.ts';

const delegatedTask = z.strictObject({
  /** Empty for a member that gets no instruction. */
  task: subAgentTask.extend({ task: z.string().max(100_000) }),
  /** Set for the turn of a member of a group. */
  member: z
    .strictObject({
      agentId: existingId,
      name: z.string(),
      kind: groupCallKind,
      private: z.literal(true).exactOptional(),
    })
    .exactOptional(),
});

/** Starts child runs of a run in a tab; they execute on the server. */
export const startTabSubAgentsBody = namedObject('StartTabSubAgents', {
  fence: z.int().positive(),
  callId: z.string(),
  /** Tasks that the same call has delegated before. */
  before: z.int().min(0),
  /** The message before the one that delegates the tasks, and that message. */
  leafId: z.string().nullable(),
  callMessageId: z.string().nullable(),
  /** The summary of the conversation, if a task needs one. */
  summary: z.string().nullable(),
  /** The tools of the run. */
  tools: z.array(z.strictObject({ name: z.string(), tool: toolReference })),
  tasks: z.array(delegatedTask).min(1).max(MAX_SUB_AGENT_TASKS),
});
export type StartTabSubAgents = z.output<typeof startTabSubAgentsBody>;

const title = z.string();
export const tabSubAgents = namedObject('TabSubAgents', {
  items: z.array(
    z.union([
      z.strictObject({ title, runId: z.string(), conversationId: z.string() }),
      z.strictObject({ title, error: errorInfo }),
    ]),
  ),
});

export const readTabSubAgentsBody = namedObject('ReadTabSubAgents', {
  runs: z.array(existingId).min(1).max(MAX_SUB_AGENT_TASKS),
});

export const tabSubAgentResults = namedObject('TabSubAgentResults', {
  items: z.array(
    z.strictObject({
      /** `refused`: its run was deleted. */
      status: z.enum([...runStatus.options, 'refused']),
      text: z.string(),
      error: errorInfo.exactOptional(),
      /** Its last answer, which may be partial. `handedBack`: a member gave the conversation back to its group. */
      answer: z.strictObject({ message: assistantMessage, handedBack: z.boolean() }).nullable(),
    }),
  ),
});
/** The results of child runs of a run in a tab, in the order of the request. */
export type TabSubAgentResults = z.output<typeof tabSubAgentResults>;

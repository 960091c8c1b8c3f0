import type { MemberTask } from '@toolyard/agent-runtime';
import { memberInstructions, memberPrompt } from '@toolyard/agent-runtime';
import type { AgentConfiguration, Owner, ToolyardError } from '@toolyard/protocol';
import { defined, say } from '@toolyard/protocol';
import { createInvalidError, createNotFoundError } from '../errors.ts';
import type { Configurations } from '../services.ts';
import type { RunConfiguration } from '../runs/worker/stored-run.ts';
import type { ParentRun } from '../runs/sub-agents/sub-agent-configuration.ts';
import { getTree } from '../runs/sub-agents/sub-agent-configuration.ts';
import type { OpenedGroup } from './open-group.ts';

/**
 * The configuration of the turn of a member: that of its agent, with its own tools and model. The approval mode and
 * the folder are those that the user chose for the conversation, as for any agent that answers there.
 *
 * @throws ToolyardError if the agent was deleted or has no model
 */
export async function memberConfiguration(
  principal: Owner,
  { agentId, name, kind }: MemberTask,
  of: {
    parent: ParentRun;
    group: OpenedGroup;
    configurations: Configurations;
    /** Of the conversation of the group. */
    conversation: AgentConfiguration;
    /** The last message of that conversation which the member may see. */
    leafId: string | null;
  },
): Promise<RunConfiguration> {
  const { parent, group, conversation, leafId } = of;
  const own = await of.configurations.resolve(principal, { agentId, answersOnce: true, conversation });
  if (own.agent === undefined) throw createDeletedAgentError(name);
  const { model } = own;
  if (!model) throw createInvalidError(say`${name} has no model.`);
  const { memberTimeoutMs, memberMaxTurns = Infinity } = parent.configuration.group ?? DEFAULTS;
  const { price: _price, ...limits } = own.limits;
  const { inputTemplate: _forUsers, agent, ...rest } = own;
  const tree = getTree(parent);
  const isHeadless = parent.configuration.intervention === 'headless';
  const inherits = kind === 'task' || leafId === null ? [] : [{ conversationId: parent.conversationId, leafId }];
  return {
    ...rest,
    model,
    agent: { ...agent, title: name },
    instructions: [own.instructions, memberInstructions(name, group.description)].filter(Boolean).join('\n\n'),
    ...(isHeadless ? { intervention: 'headless' as const } : {}),
    limits: {
      ...limits,
      maxTurns: Math.min(limits.maxTurns, memberMaxTurns),
      maxWallTimeMs: Math.min(limits.maxWallTimeMs ?? Infinity, memberTimeoutMs),
    },
    ...(kind === 'delegate' ? { servers: { ...own.servers, group: true } } : {}),
    budgets: own.budgets.filter(({ of: scope }) => scope !== 'run' && scope !== 'conversation'),
    subAgent: { ...tree, agents: [...tree.agents, agentId], inherits, ...defined({ member: { agentId, kind } }) },
  };
}

/** The message that begins the turn. */
export function memberMessage(task: string, member: MemberTask, { description }: OpenedGroup): string {
  const { name, kind } = member;
  const isPrivate = member.private === true;
  return memberPrompt({ name, kind, supervisor: description.supervisor, instruction: task, private: isPrivate });
}

const DEFAULTS = { memberTimeoutMs: 15 * 60_000, memberMaxTurns: Infinity };

function createDeletedAgentError(name: string): ToolyardError {
  return createNotFoundError(
    say`The agent of ${name} was deleted.`,
    say`Remove it from the group, or add another agent.`,
  );
}

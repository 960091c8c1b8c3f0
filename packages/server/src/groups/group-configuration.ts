import { noMembers } from '@toolyard/agent-runtime';
import type { AgentConfiguration, Owner } from '@toolyard/protocol';
import { defined, mergeBudgets, roundsOf, ToolyardError, say } from '@toolyard/protocol';
import type { SharedStorage, StoredConversation } from '@toolyard/storage';
import { createInvalidError, createNotFoundError } from '../errors.ts';
import { readStoredConfiguration } from '../config/agent-configuration.ts';
import type { Configurations } from '../services.ts';
import type { GroupOfRun, RunConfiguration } from '../runs/worker/stored-run.ts';
import { readDefinition } from './group-definition.ts';

export type GroupRequest = {
  groupId: string;
  conversation: Pick<StoredConversation, 'configuration'>;
  /** Overrides for this run. */
  run?: AgentConfiguration | undefined;
  /** The member that answers next. */
  mention?: string | undefined;
};

type Services = { storage: Pick<SharedStorage, 'groups' | 'agents'>; configurations: Configurations };

/**
 * The configuration of the run of a group: that of its supervisor. Without one no model is asked.
 *
 * @throws ToolyardError if the group was deleted, has no members, or its supervisor or the mentioned member is missing
 */
export async function groupConfiguration(
  principal: Owner,
  request: GroupRequest,
  services: Services,
): Promise<RunConfiguration & { group: GroupOfRun }> {
  const group = await readGroup(principal, request, services.storage);
  const { mode, budgets } = group;
  const maxRounds = roundsOf(group);
  const supervisor = mode.kind === 'supervisor' ? mode.supervisor : null;
  const agentId = supervisor && 'agentId' in supervisor ? supervisor.agentId : null;
  const resolved = await services.configurations.resolve(principal, {
    agentId,
    conversation: readStoredConfiguration(request.conversation.configuration),
    ...defined({ run: request.run }),
  });
  if (agentId !== null && resolved.agent === undefined) throw createNoSupervisorError(group.title);
  const own = supervisor && 'instructions' in supervisor ? supervisor : null;
  const model = own?.model ?? resolved.model ?? (await modelOfMember(principal, group, services));
  if (model === null) throw new ToolyardError(NO_MODEL);
  const { limits } = resolved;
  return {
    ...resolved,
    model,
    instructions: [resolved.instructions, own?.instructions ?? ''].filter((text) => text !== '').join('\n\n'),
    servers: { ...resolved.servers, group: true },
    limits: {
      ...limits,
      // Rounds are limited instead; the last answer is one more request.
      maxTurns: Math.max(limits.maxTurns, maxRounds + 1),
      maxSameCall: Math.max(limits.maxSameCall, maxRounds),
      maxDepth: Math.max(1, limits.maxDepth),
    },
    budgets: mergeBudgets(resolved.budgets, budgets),
    group,
  };
}

async function readGroup(
  principal: Owner,
  { groupId, mention }: GroupRequest,
  { groups }: Services['storage'],
): Promise<GroupOfRun> {
  const stored = await groups.get(principal, groupId);
  if (stored === null) throw new ToolyardError(DELETED);
  const group = { ...readDefinition(stored), id: stored.id, title: stored.title };
  if (group.members.length === 0) throw new ToolyardError(noMembers(group.title));
  if (mention !== undefined && !group.members.some(({ agentId }) => agentId === mention)) {
    throw createInvalidError(
      say`The agent ${mention} is not a member of the group ${JSON.stringify(group.title)}.`,
      say`Mention a member, or none.`,
    );
  }
  return group;
}

/** A run has a model, also if it asks none. */
async function modelOfMember(
  principal: Owner,
  { mode, members }: GroupOfRun,
  { configurations }: Services,
): Promise<RunConfiguration['model'] | null> {
  if (mode.kind === 'supervisor') return null;
  for (const { agentId } of members) {
    const { model } = await configurations.resolve(principal, { agentId });
    if (model) return model;
  }
  return null;
}

function createNoSupervisorError(title: string): ToolyardError {
  return createNotFoundError(
    say`The supervisor of the group ${JSON.stringify(title)} was deleted.`,
    say`Choose another supervisor in the settings of the group.`,
  );
}

const DELETED = {
  code: 'not_found',
  message: say`The group of this conversation was deleted.`,
  hint: say`Start a new conversation with another group.`,
} as const;

const NO_MODEL = {
  code: 'bad_request',
  message: say`The group has no model, and there is no default.`,
  hint: say`Choose a model for the supervisor, or add a provider in the settings.`,
} as const;

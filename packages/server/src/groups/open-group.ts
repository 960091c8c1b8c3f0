import type { RunGroup, RunGroupMember } from '@toolyard/agent-host';
import type { GroupDescription } from '@toolyard/agent-runtime';
import type { GroupMode, Owner } from '@toolyard/protocol';
import { defined, isStorageFault, roundsOf } from '@toolyard/protocol';
import type { SharedStorage, StoredAgent } from '@toolyard/storage';
import { readStoredProfile } from '../config/agent-profile.ts';
import type { GroupOfRun } from '../runs/worker/stored-run.ts';
import { readDefinition } from './group-definition.ts';

/** A group with what is known of its agents at the moment. */
export type OpenedGroup = RunGroup & { description: GroupDescription };

type GroupStorage = Pick<SharedStorage, 'groups' | 'agents'>;

/**
 * The group of a run as it is now: changed members and limits apply from the next round. A group that was deleted
 * meanwhile finishes its run as it was. A member whose agent was deleted stays: its turn reports that.
 */
export async function openGroup(
  principal: Owner,
  atStart: GroupOfRun,
  { groups, agents }: GroupStorage,
): Promise<OpenedGroup> {
  const current = await currentGroup(principal, atStart, groups);
  // How a group decides does not change within a run.
  const { mode } = atStart;
  const known = new Map((await agents.list(principal)).map((agent) => [agent.id, agent]));
  const members = current.members.map(({ agentId, name }) => toMember(agentId, name, known.get(agentId)));
  const { title, instructions, stopPhrases } = current;
  const maxRounds = roundsOf({ ...current, mode });
  return {
    settings: { title, mode: mode.kind, members: members.map(({ agentId }) => agentId), maxRounds, stopPhrases },
    members,
    description: {
      title,
      instructions,
      members: members.map(({ agentId, name }) => {
        const agent = known.get(agentId);
        return { name, description: agent && readStoredProfile(agent.profile).description };
      }),
      supervisor: supervisorName(mode, known),
    },
  };
}

async function currentGroup(
  principal: Owner,
  atStart: GroupOfRun,
  groups: GroupStorage['groups'],
): Promise<GroupOfRun> {
  try {
    const stored = await groups.get(principal, atStart.id);
    return stored === null ? atStart : { ...readDefinition(stored), id: stored.id, title: stored.title };
  } catch (thrown) {
    // A newer process may have stored what this version cannot read.
    if (isStorageFault(thrown)) throw thrown;
    return atStart;
  }
}

function toMember(agentId: string, name: string | undefined, agent: StoredAgent | undefined): RunGroupMember {
  const avatar = agent && readStoredProfile(agent.profile).avatar;
  return { agentId, name: name ?? (agent?.title || agentId), ...defined({ avatar }) };
}

/** Null without a supervisor. */
function supervisorName(mode: GroupMode, known: ReadonlyMap<string, StoredAgent>): string | null {
  if (mode.kind !== 'supervisor') return null;
  const agent = 'agentId' in mode.supervisor ? known.get(mode.supervisor.agentId) : undefined;
  return agent?.title || 'Supervisor';
}

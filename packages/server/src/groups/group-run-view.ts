import type { AgentState } from '@toolyard/agent-runtime';
import type { GroupRunView, GroupStop, JsonValue, Owner, RunStatus } from '@toolyard/protocol';
import { isJsonObject, roundsOf, say } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { createNotFoundError } from '../errors.ts';
import type { RunConfiguration } from '../runs/worker/stored-run.ts';

/**
 * Reads where the run of a group is from its last committed state; null for any other run.
 *
 * @throws ToolyardError `not_found` without such a run
 */
export async function groupRunView(
  { runStates, runs }: Pick<SharedStorage, 'runStates' | 'runs'>,
  principal: Owner,
  runId: string,
): Promise<GroupRunView | null> {
  const stored = await runStates.get(principal, runId);
  if (stored === null) throw createNotFoundError(say`There is no run ${runId}.`);
  const state = stateIn(stored.state);
  // Only the server writes this column.
  const { group } = isJsonObject(stored.configuration) ? (stored.configuration as unknown as RunConfiguration) : {};
  if (!state?.group || !group) return null;
  const { round, paused, stop } = state.group;
  const maxRounds = roundsOf(group);
  const isDone = state.status === 'done';
  return {
    groupId: group.id,
    round,
    maxRounds,
    paused: paused === true,
    stop: stop ?? (isDone ? getStop(round, maxRounds) : null),
    speaking: (await Promise.all(membersIn(state).map((member) => withStatus(member)))).flat(),
  };

  async function withStatus(member: Speaking): Promise<GroupRunView['speaking']> {
    const run = await runs.getRun(principal, member.runId);
    return run === null || isOver(run.status) ? [] : [{ ...member, status: run.status }];
  }
}

/** A group that no decision stopped. */
function getStop(round: number, maxRounds: number): GroupStop {
  return round >= maxRounds ? 'max_rounds' : 'answered';
}

type Speaking = Omit<GroupRunView['speaking'][number], 'status'>;

/** The members that the run waits for. */
function membersIn({ pending }: AgentState): Speaking[] {
  return pending.flatMap(({ functionInterrupt: asks }) => {
    if (asks?.kind !== 'delegation' || asks.answer) return [];
    return asks.tasks.flatMap(({ member }, at): Speaking[] => {
      const child = asks.children?.[at];
      if (!member || !child || !('runId' in child)) return [];
      const { agentId, name, kind } = member;
      const { runId, conversationId } = child;
      return [{ agentId, name, kind, private: member.private === true, runId, conversationId }];
    });
  });
}

function isOver(status: RunStatus): boolean {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}

function stateIn(stored: JsonValue): AgentState | null {
  const point = isJsonObject(stored) ? stored['point'] : null;
  const state = isJsonObject(point) ? point['state'] : null;
  return isJsonObject(state) ? (state as unknown as AgentState) : null;
}

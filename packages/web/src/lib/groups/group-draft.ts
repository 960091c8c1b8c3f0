import type { ChangeGroup, CreateGroup, GroupMember, GroupMode, GroupView } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { itemsIn } from '../ui/items-in.ts';

const MINUTE_MS = 60_000;

/** Who decides: an agent, a model with instructions, or the order of the members. */
export const DECIDERS = ['agent', 'model', 'round_robin', 'fixed_order'] as const;
type Decider = (typeof DECIDERS)[number];

/** A group as its editor holds it. */
export function toGroupDraft(group: GroupView | null) {
  const { mode, memberTimeoutMs, ...stored }: Partial<GroupView> = group ?? {};
  const supervisor = mode?.kind === 'supervisor' ? mode.supervisor : undefined;
  const agentId = supervisor && 'agentId' in supervisor ? supervisor.agentId : undefined;
  const ofModel = supervisor && !('agentId' in supervisor) ? supervisor : undefined;
  const decider: Decider = mode && mode.kind !== 'supervisor' ? mode.kind : agentId === undefined ? 'model' : 'agent';
  return {
    title: stored.title ?? '',
    instructions: stored.instructions ?? '',
    decider,
    /** The agent that supervises; empty: none chosen yet. */
    supervisorId: agentId ?? '',
    model: ofModel?.model,
    supervisorInstructions: ofModel?.instructions ?? '',
    members: stored.members ?? [],
    maxRounds: stored.maxRounds,
    timeoutMinutes: memberTimeoutMs && memberTimeoutMs / MINUTE_MS,
    memberMaxTurns: stored.memberMaxTurns,
    /** One per line. */
    stopPhrases: stored.stopPhrases?.join('\n') ?? '',
    budgets: stored.budgets ?? [],
  };
}
export type GroupDraft = ReturnType<typeof toGroupDraft>;

/** What is missing before the group can be saved. */
export function findProblem({
  title,
  members,
  decider,
  supervisorId,
}: GroupDraft): 'title' | 'members' | 'supervisor' | null {
  if (title.trim() === '') return 'title';
  if (members.length === 0) return 'members';
  return decider === 'agent' && supervisorId === '' ? 'supervisor' : null;
}

/** The body of a request that creates the group. Defaults are left out. */
export function newGroup(draft: GroupDraft): CreateGroup {
  const { memberMaxTurns, maxRounds } = draft;
  return { ...common(draft), ...defined({ memberMaxTurns, maxRounds }) };
}

/** The body of a request that changes the group. */
export function changedGroup(draft: GroupDraft, version: number): ChangeGroup {
  const { memberMaxTurns = null, maxRounds = null } = draft;
  return { ...common(draft), memberMaxTurns, maxRounds, version };
}

function common(draft: GroupDraft): Omit<CreateGroup, 'memberMaxTurns' | 'maxRounds'> {
  const { title, instructions, members, timeoutMinutes, stopPhrases, budgets } = draft;
  return {
    title: title.trim(),
    instructions,
    members,
    mode: toMode(draft),
    stopPhrases: itemsIn(stopPhrases),
    budgets,
    ...defined({ memberTimeoutMs: timeoutMinutes && Math.round(timeoutMinutes * MINUTE_MS) }),
  };
}

export function toMode({ decider, supervisorId, model, supervisorInstructions }: GroupDraft): GroupMode {
  switch (decider) {
    case 'agent':
      return { kind: 'supervisor', supervisor: { agentId: supervisorId } };
    case 'model':
      return { kind: 'supervisor', supervisor: { instructions: supervisorInstructions, ...defined({ model }) } };
    default:
      return { kind: decider };
  }
}

/** The members with the one at `index` moved by `by` places. */
export function movedMember(members: readonly GroupMember[], index: number, by: number): GroupMember[] {
  const moved = members[index];
  if (moved === undefined || index + by < 0 || index + by >= members.length) return [...members];
  return members.toSpliced(index, 1).toSpliced(index + by, 0, moved);
}

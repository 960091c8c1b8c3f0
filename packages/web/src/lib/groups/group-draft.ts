import type {
  Budget,
  ChangeGroup,
  CreateGroup,
  GroupMember,
  GroupMode,
  GroupView,
  ModelReference,
} from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';

const MINUTE_MS = 60_000;

/** Who decides: an agent, a model with instructions, or the order of the members. */
export const DECIDERS = ['agent', 'model', 'round_robin', 'fixed_order'] as const;
type Decider = (typeof DECIDERS)[number];

/** A group as its editor holds it. */
export type GroupDraft = {
  title: string;
  instructions: string;
  decider: Decider;
  /** The agent that supervises; empty: none chosen yet. */
  supervisorId: string;
  model: ModelReference | undefined;
  supervisorInstructions: string;
  members: readonly GroupMember[];
  maxRounds: number | undefined;
  timeoutMinutes: number | undefined;
  memberMaxTurns: number | undefined;
  /** One per line. */
  stopPhrases: string;
  budgets: Budget[];
};

export function draftOf(group: GroupView | null): GroupDraft {
  const mode = group?.mode;
  const supervisor = mode?.kind === 'supervisor' ? mode.supervisor : null;
  const isAgent = supervisor !== null && 'agentId' in supervisor;
  const ofModel = supervisor !== null && !('agentId' in supervisor) ? supervisor : null;
  return {
    title: group?.title ?? '',
    instructions: group?.instructions ?? '',
    decider:
      mode === undefined || ofModel ? 'model' : isAgent ? 'agent' : mode.kind === 'supervisor' ? 'model' : mode.kind,
    supervisorId: isAgent ? supervisor.agentId : '',
    model: ofModel?.model,
    supervisorInstructions: ofModel?.instructions ?? '',
    members: group?.members ?? [],
    maxRounds: group?.maxRounds,
    timeoutMinutes: group === null ? undefined : group.memberTimeoutMs / MINUTE_MS,
    memberMaxTurns: group?.memberMaxTurns,
    stopPhrases: group?.stopPhrases.join('\n') ?? '',
    budgets: group?.budgets ?? [],
  };
}

/** What is missing before the group can be saved. */
export function problemOf({
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
  const phrases = stopPhrases.split('\n').map((line) => line.trim());
  return {
    title: title.trim(),
    instructions,
    members: [...members],
    mode: modeOf(draft),
    stopPhrases: phrases.filter((phrase) => phrase !== ''),
    budgets,
    ...(timeoutMinutes === undefined ? {} : { memberTimeoutMs: Math.round(timeoutMinutes * MINUTE_MS) }),
  };
}

export function modeOf({ decider, supervisorId, model, supervisorInstructions }: GroupDraft): GroupMode {
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

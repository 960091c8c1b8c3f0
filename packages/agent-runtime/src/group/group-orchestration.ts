import type { GroupCallKind } from '@toolyard/protocol';
import type { GroupState } from './group-state.ts';

/** Id of the built-in server whose calls are decisions of a group. */
export const GROUP_SERVER = 'group';

/** A group as it is at the beginning of a round. */
export type GroupSettings = {
  mode: 'supervisor' | 'round_robin' | 'fixed_order';
  /** Ids of the members in their order. */
  members: readonly string[];
  maxRounds: number;
  stopPhrases: readonly string[];
};

/** What the conversation says about earlier turns. */
export type GroupHistory = {
  /** The member that answered last. */
  lastSpeaker: string | null;
  /** The member that the conversation was handed to by an earlier run. */
  delegatedTo: string | null;
};

/** What a group does next. `last`: the supervisor may decide nothing more, only answer. */
export type GroupDecision =
  | { do: 'ask_supervisor'; last: boolean }
  | { do: 'ask_member'; agentId: string; kind: 'speak' | 'delegate' }
  | { do: 'pause' }
  | { do: 'finish' };

/** A completed call of the group. */
export type GroupOutcome = {
  kind: GroupCallKind | 'finish';
  /** Members whose turn is over, with their answers. */
  members: readonly { agentId: string; text: string; handedBack: boolean }[];
};

/**
 * Decides what a group does next, by its stored state alone: the same in every process and place, and after every
 * restart.
 *
 * | state                                         | next                                   |
 * |-----------------------------------------------|----------------------------------------|
 * | it has stopped                                | finish                                 |
 * | the user paused it                            | pause                                  |
 * | no member is left                             | finish: no_members                     |
 * | the user mentioned a member                   | that member speaks                     |
 * | the conversation was handed to a member       | that member answers                    |
 * | with a supervisor                             | ask the supervisor                     |
 * |   and the round limit is reached              | ask it for a last answer               |
 * | without one, a member had no turn this round  | that member speaks                     |
 * |   and the round limit is reached              | finish: max_rounds                     |
 */
export class GroupOrchestrationRuntime {
  readonly #settings: GroupSettings;

  constructor(settings: GroupSettings) {
    this.#settings = settings;
  }

  decide(state: GroupState, { lastSpeaker, delegatedTo }: GroupHistory): GroupDecision {
    const { mode, members, maxRounds } = this.#settings;
    if (state.stop !== undefined) return { do: 'finish' };
    if (state.paused) return { do: 'pause' };
    if (members.length === 0) return { do: 'finish' };
    if (state.mention !== undefined && members.includes(state.mention)) {
      return { do: 'ask_member', agentId: state.mention, kind: 'speak' };
    }
    const isNew = state.round === 0 && state.spoke.length === 0;
    if (isNew && mode === 'supervisor' && delegatedTo !== null && members.includes(delegatedTo)) {
      return { do: 'ask_member', agentId: delegatedTo, kind: 'delegate' };
    }
    if (mode === 'supervisor') return { do: 'ask_supervisor', last: state.round >= maxRounds };
    const next = state.round < maxRounds ? this.#nextInOrder(state, lastSpeaker) : undefined;
    return next === undefined ? { do: 'finish' } : { do: 'ask_member', agentId: next, kind: 'speak' };
  }

  /** The state after calls of the group were answered. Failed turns count like any other. */
  after(state: GroupState, outcomes: readonly GroupOutcome[]): GroupState {
    if (outcomes.length === 0) return state;
    const { mode } = this.#settings;
    const { mention, ...rest } = state;
    const answers = outcomes.flatMap(({ members }) => members);
    const wasMentioned = mention !== undefined && answers.some(({ agentId }) => agentId === mention);
    const next: GroupState = wasMentioned || mention === undefined ? rest : { ...rest, mention };
    if (outcomes.some(({ kind }) => kind === 'finish')) return { ...next, stop: 'finished' };
    const counted =
      mode === 'supervisor' ? { ...next, round: next.round + 1 } : this.#withSpoken(next, answers.map(idOf));
    if (answers.some(({ text }) => this.#saysStop(text))) return { ...counted, stop: 'phrase' };
    const handedOver = outcomes.find(({ kind }) => kind === 'delegate')?.members;
    if (handedOver?.some(({ handedBack }) => !handedBack)) return { ...counted, stop: 'delegated' };
    return wasMentioned && mode !== 'supervisor' ? { ...counted, stop: 'mentioned' } : counted;
  }

  /** True if an answer ends the work of the group. */
  #saysStop(text: string): boolean {
    const said = text.toLowerCase();
    return this.#settings.stopPhrases.some((phrase) => said.includes(phrase.toLowerCase()));
  }

  #nextInOrder({ spoke }: GroupState, lastSpeaker: string | null): string | undefined {
    const { mode, members } = this.#settings;
    const from = mode === 'round_robin' && lastSpeaker !== null ? members.indexOf(lastSpeaker) + 1 : 0;
    return [...members.slice(from), ...members.slice(0, from)].find((id) => !spoke.includes(id));
  }

  #withSpoken(state: GroupState, ids: readonly string[]): GroupState {
    const spoke = [...new Set([...state.spoke, ...ids])];
    const isComplete = this.#settings.members.every((id) => spoke.includes(id));
    return isComplete ? { ...state, round: state.round + 1, spoke: [] } : { ...state, spoke };
  }
}

function idOf({ agentId }: { agentId: string }): string {
  return agentId;
}

import type { GroupStop } from '@toolyard/protocol';

/**
 * Where the run of a group is. Part of the state of the run, so that no restart and no request of the supervisor
 * changes the counter.
 */
export type GroupState = {
  /** Completed rounds: decisions of the supervisor, or turns of all members. */
  round: number;
  /** Without a supervisor: ids of the members that had their turn in this round. */
  spoke: string[];
  /** The member that the user mentioned, until its turn. */
  mention?: string;
  /** The user paused the group: it waits before its next decision. */
  paused?: true;
  stop?: GroupStop;
};

/** The state of a group for a new message. */
export function initialGroupState(mention?: string): GroupState {
  return { round: 0, spoke: [], ...(mention === undefined ? {} : { mention }) };
}

import type { GroupSettings } from '@toolyard/agent-runtime';

/** A member of a group. */
export type RunGroupMember = {
  agentId: string;
  /** Its name in the group. */
  name: string;
  avatar?: string;
};

/** The group of a run, as it was when the run was opened: at its start, and again for each round. */
export type RunGroup = {
  settings: GroupSettings & { title: string };
  members: readonly RunGroupMember[];
};

/** The group of a call. For a call that has asked members already: those members. */
export type GroupOfCall = {
  members: readonly { agentId: string; name: string }[];
  /** The names of all members as the group is now. */
  names: readonly string[];
  /** Completed rounds. */
  round: number;
};

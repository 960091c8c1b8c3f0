import { z } from 'zod';
import { clientId, errorInfo, existingId, namedObject, createPageSchema, timestamp, titleText } from './common.ts';
import { budgets, modelReference } from './configuration.ts';
import { groupCallKind } from './member-turns.ts';
import { runStatus } from './runs.ts';

/** Members of a group at most. */
const MAX_MEMBERS = 20;

const groupMember = z.strictObject({
  /** An agent may be a member once. */
  agentId: existingId,
  /** Its name in the group; default: the title of the agent. */
  name: z.string().trim().min(1).max(100).exactOptional(),
});
export type GroupMember = z.output<typeof groupMember>;

const supervisor = z.union([
  z.strictObject({ agentId: existingId }),
  z.strictObject({ model: modelReference.exactOptional(), instructions: z.string().max(100_000) }),
]);
/** Who decides what the group does next: an agent, or a model (default: the default model) with instructions. */
export type GroupSupervisor = z.output<typeof supervisor>;

export const groupMode = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('supervisor'), supervisor }),
  /** The members speak in turn; a message continues after the member that spoke last. */
  z.strictObject({ kind: z.literal('round_robin') }),
  /** The members speak in their order, beginning with the first one for each message. */
  z.strictObject({ kind: z.literal('fixed_order') }),
]);
export type GroupMode = z.output<typeof groupMode>;

const definitionFields = {
  members: z.array(groupMember).max(MAX_MEMBERS),
  mode: groupMode,
  /** What the members should know of the group: its purpose, the tone, the rules. */
  instructions: z.string().max(100_000),
  /**
   * Rounds for one message: decisions of the supervisor, or turns of all members; absent: 10 with a supervisor, 1
   * without.
   */
  maxRounds: z.int().min(1).max(1_000).exactOptional(),
  /** Time limit of one turn of a member, without the time it waits for the user. */
  memberTimeoutMs: z.int().min(1_000).max(86_400_000),
  /** Model requests of one turn of a member; absent: the limit of its agent. */
  memberMaxTurns: z.int().min(1).max(1_000).exactOptional(),
  /** The group stops after an answer that contains one of these texts (in any case). */
  stopPhrases: z.array(z.string().trim().min(1).max(200)).max(20),
  /** Of the whole tree of a run, in addition to those of the conversation. */
  budgets,
};

export const groupDefinition = z
  .strictObject(definitionFields)
  .refine(({ members }) => new Set(members.map(({ agentId }) => agentId)).size === members.length, {
    path: ['members'],
    message: 'an agent can be a member only once',
  });
/** Everything about a group that the user chooses, except its title. */
export type GroupDefinition = z.output<typeof groupDefinition>;

export const groupView = namedObject('GroupView', {
  id: z.string(),
  title: z.string(),
  ...definitionFields,
  version: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
/** Agents that work on one conversation together. */
export type GroupView = z.output<typeof groupView>;
export const groupPage = createPageSchema('GroupPage', groupView);

const optionalFields = {
  instructions: definitionFields.instructions.exactOptional(),
  memberTimeoutMs: definitionFields.memberTimeoutMs.exactOptional(),
  stopPhrases: definitionFields.stopPhrases.exactOptional(),
  budgets: budgets.exactOptional(),
};

export const createGroupBody = namedObject('CreateGroup', {
  id: clientId.exactOptional(),
  title: titleText,
  members: definitionFields.members,
  mode: groupMode,
  memberMaxTurns: definitionFields.memberMaxTurns,
  maxRounds: definitionFields.maxRounds,
  ...optionalFields,
});
/** Defaults: 10 rounds with a supervisor and 1 without, 15 minutes per turn of a member, no stop phrases. */
export type CreateGroup = z.output<typeof createGroupBody>;

export const changeGroupBody = namedObject('ChangeGroup', {
  version: z.int().positive().describe('The version that the client read; an older one is rejected'),
  title: titleText.exactOptional(),
  members: definitionFields.members.exactOptional(),
  mode: groupMode.exactOptional(),
  /** Null: the limits of the agents. */
  memberMaxTurns: z.int().min(1).max(1_000).nullable().exactOptional(),
  /** Null: the default of the mode. */
  maxRounds: z.int().min(1).max(1_000).nullable().exactOptional(),
  ...optionalFields,
});
/** Changes of the members, the limits and the stop phrases apply to a run in progress from its next round. */
export type ChangeGroup = z.output<typeof changeGroupBody>;

export const groupStop = z.enum([
  'answered',
  'finished',
  'max_rounds',
  'phrase',
  'delegated',
  'mentioned',
  'no_members',
]);
/**
 * Why a group stopped.
 * - `answered`: the supervisor answered without a further decision
 * - `finished`: the supervisor called `finish`
 * - `max_rounds`: the round limit was reached
 * - `phrase`: an answer had a stop phrase
 * - `delegated`: the conversation was handed to a member
 * - `mentioned`: without a supervisor, the mentioned member has answered
 * - `no_members`: no member is left
 */
export type GroupStop = z.output<typeof groupStop>;

const groupRunView = namedObject('GroupRunView', {
  groupId: z.string(),
  /** Completed rounds of this run. */
  round: z.int(),
  maxRounds: z.int(),
  paused: z.boolean(),
  /** Null while it works. */
  stop: groupStop.nullable(),
  /** Members whose turn it is, in the order of the decision. */
  speaking: z.array(
    z.strictObject({
      agentId: z.string(),
      name: z.string(),
      kind: groupCallKind,
      private: z.boolean(),
      runId: z.string(),
      conversationId: z.string(),
      status: runStatus,
    }),
  ),
});
/** Where the run of a group is. */
export type GroupRunView = z.output<typeof groupRunView>;
export const groupRun = namedObject('GroupRun', { group: groupRunView.nullable() });

const memberOutcome = z.strictObject({
  agentId: z.string(),
  name: z.string(),
  /** `refused`: its turn could not be started. */
  status: z.enum(['done', 'failed', 'cancelled', 'refused']),
  runId: z.string().exactOptional(),
  conversationId: z.string().exactOptional(),
  error: errorInfo.exactOptional(),
});
export type MemberOutcome = z.output<typeof memberOutcome>;

export const groupCallResult = namedObject('GroupCallResult', {
  kind: z.enum([...groupCallKind.options, 'finish']),
  /** The round that the call belongs to, from 1. */
  round: z.int(),
  private: z.boolean(),
  members: z.array(memberOutcome),
  vote: z
    .strictObject({
      question: z.string(),
      options: z.array(z.strictObject({ option: z.string(), votes: z.int() })),
      /** Null: the answer named none of the options. */
      ballots: z.array(z.strictObject({ agentId: z.string(), option: z.string().nullable(), reason: z.string() })),
      winner: z.string(),
      /** The supervisor decided between options with equal votes. */
      wasTied: z.boolean(),
    })
    .exactOptional(),
});
/** `structured.group` of the results of calls of the server `group`. */
export type GroupCallResult = z.output<typeof groupCallResult>;

import { z } from 'zod';
import { namedObject } from './common.ts';

export const groupCallKind = z.enum(['speak', 'broadcast', 'delegate', 'task', 'vote']);
/**
 * Why a member had its turn. `delegate`: the conversation was handed over, so it also answers the next messages of the
 * user, until it hands it back.
 */
export type GroupCallKind = z.output<typeof groupCallKind>;

/** Set on an answer of a member in the conversation of its group; its `agent` has the name at that time. */
export const memberTurn = namedObject('MemberTurn', {
  kind: groupCallKind,
  /** The child run, and its conversation with the whole transcript. */
  runId: z.string(),
  conversationId: z.string(),
  /** The call of the group that asked for it. */
  callId: z.string(),
  /** Only the supervisor, this member and the user see the answer and its instruction. */
  private: z.literal(true).exactOptional(),
  /** The member gave the conversation back. */
  handedBack: z.literal(true).exactOptional(),
});
export type MemberTurn = z.output<typeof memberTurn>;

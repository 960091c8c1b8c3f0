import type { Clock, RunJournal, UserMessage, UserPart } from '@toolyard/protocol';

/** Where a steering message is added: in the stored form, and in the form that models can read. */
type SteeredConversation = {
  readonly leafId: string | null;
  addSteering(stored: UserMessage, readable: UserMessage): void;
};

type SteeredRun = { conversation: SteeredConversation; journal: Pick<RunJournal, 'append'>; clock: Clock };

/** Adds a message that the user sent to a run in progress; called between two steps. */
export function addSteering(
  { conversation, journal, clock }: SteeredRun,
  { id, parts, readable = parts }: { id: string; parts: UserPart[]; readable?: UserPart[] },
): void {
  const { leafId: parentId } = conversation;
  const message: UserMessage = { id, parentId, createdAt: clock.now(), role: 'user', parts };
  conversation.addSteering(message, { ...message, parts: readable });
  journal.append({ type: 'steered', message });
}

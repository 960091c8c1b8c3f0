import type { GroupCallKind } from '@toolyard/protocol';
import { fenced } from '../context/fenced.ts';

/** A group as its participants know it. */
export type GroupDescription = {
  title: string;
  /** What the user wrote about the group. */
  instructions: string;
  members: readonly { name: string; description?: string | undefined }[];
  /** Null without a supervisor. */
  supervisor: string | null;
};

const HOW_TO_READ =
  'Messages of the others are marked with <group-message from="name">; unmarked user messages are from the user. Write only your own text, without such marks, and never for another participant.';

/** The instructions of a member, after those of its agent. */
export function memberInstructions(
  name: string,
  { title, instructions, members, supervisor }: GroupDescription,
): string {
  const others = members.filter((member) => member.name !== name);
  return paragraphs(
    `You are ${name}, a member of the group ${JSON.stringify(title)}.`,
    others.length === 0 ? '' : `The other members:\n${listed(others)}`,
    supervisor === null ? '' : `${supervisor} leads the group and decides whose turn it is.`,
    HOW_TO_READ,
    instructions,
  );
}

/** The instructions of a supervisor, after its own. */
export function supervisorInstructions({ title, instructions, members }: GroupDescription, maxRounds: number): string {
  return paragraphs(
    `You are the supervisor of the group ${JSON.stringify(title)}.`,
    `The members:\n${listed(members)}`,
    `Decide who does what with the tools of the group. Each decision is a round, and there are at most ${maxRounds} rounds for one message of the user; several members at the same time are one round. The answers of the members appear in the conversation, and the user reads them: do not repeat them. When the matter is settled, answer the user in a few sentences, or call finish.`,
    HOW_TO_READ,
    instructions,
  );
}

/** The message that begins the turn of a member. */
export function memberPrompt(of: {
  name: string;
  kind: GroupCallKind;
  supervisor: string | null;
  instruction: string;
  private?: boolean;
}): string {
  const { name, kind, supervisor, instruction } = of;
  const from = supervisor ?? undefined;
  const isPrivate = of.private ? 'true' : undefined;
  const said = instruction === '' ? '' : fenced('group-message', { from, to: name, private: isPrivate }, instruction);
  return paragraphs(said, TURNS[kind](name));
}

const TURNS: Record<GroupCallKind, (name: string) => string> = {
  speak: (name) => `It is your turn, ${name}. Answer in the conversation.`,
  broadcast: (name) => `It is your turn, ${name}. Others answer at the same time; you do not see their answers yet.`,
  delegate: (name) =>
    `The conversation is handed over to you, ${name}: you talk with the user until the matter is settled. When it is, call hand_back.`,
  task: (name) => `Carry out this task on your own, ${name}, and report the result.`,
  vote: (name) =>
    `It is a vote, ${name}. Write the option that you choose on the first line, exactly as given, and your reason in one sentence below.`,
};

function listed(members: GroupDescription['members']): string {
  return members
    .map(({ name, description }) => (description ? `- ${name}: ${description.replace(/\s+/g, ' ')}` : `- ${name}`))
    .join('\n');
}

function paragraphs(...texts: string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}

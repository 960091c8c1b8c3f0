import type { ConversationExample, Message, ModelInput } from '@toolyard/protocol';
import { withCompactedMessages } from './context/compaction.ts';
import type { Placeholders, ServerNotes } from './context/instructions.ts';
import { withPlaceholders, withServerInstructions } from './context/instructions.ts';
import { withExamples, withinHistory, withInputTemplate, withReadableAttachments } from './context/user-messages.ts';
import { withCappedToolResults, withTrimmedResults } from './context/tool-results.ts';
import { withContinuePrompts, withoutEmptyAnswers, withResultsInPlace } from './context/well-formed.ts';
import { withEditedArguments } from './edited-arguments.ts';

/** What the processors may use besides the messages. The same object stands for the same content. */
export type ContextSources = {
  serverInstructions: ServerNotes;
  /** What the model can take, in tokens; absent: unknown. */
  window?: number;
  /** What the model reads; absent: unknown. */
  inputs?: readonly ModelInput[];
  /** At most that many of the latest messages are sent. */
  historyMessages?: number;
  examples?: readonly ConversationExample[];
  /** What the person says is put into it in the place of `{{text}}`. */
  inputTemplate?: string;
  placeholders?: Placeholders;
};

type Processor = (messages: readonly Message[], sources: ContextSources) => readonly Message[];

/**
 * What a model is sent is the conversation, passed through these in order. Each is pure, and gives back the very
 * message it was given wherever it changes nothing, so that what was made of a message can be kept. What stays the same
 * from request to request comes first, for the sake of the providers' caches.
 */
const PROCESSORS: readonly Processor[] = [
  withoutEmptyAnswers,
  withCompactedMessages,
  withinHistory,
  withResultsInPlace,
  withContinuePrompts,
  withPlaceholders,
  withServerInstructions,
  withExamples,
  withInputTemplate,
  withReadableAttachments,
  withCappedToolResults,
  withEditedArguments,
  withTrimmedResults,
];

/** Turns the messages of a conversation into those a model is sent. */
export function buildContext(messages: readonly Message[], sources: ContextSources): readonly Message[] {
  return PROCESSORS.reduce<readonly Message[]>((current, process) => process(current, sources), messages);
}

/** True where something is to be filled in. */
export function usesPlaceholders(messages: readonly Message[], { inputTemplate = '' }: ContextSources): boolean {
  const [first] = messages;
  return (
    inputTemplate.includes('{{') || (first?.role === 'system' && first.parts.some(({ text }) => text.includes('{{')))
  );
}

/** What `{{date}}` and the like stand for at a time. They change with the minute at most. */
export function placeholdersAt(at: number, of: { model: string; timeZone?: string }): Placeholders {
  const { model, timeZone = 'UTC' } = of;
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short', timeStyle: 'short', hourCycle: 'h23' })
    .formatToParts(at)
    .reduce<Record<string, string>>((found, { type, value }) => ({ ...found, [type]: value }), {});
  const date = `${parts['year'] ?? ''}-${parts['month'] ?? ''}-${parts['day'] ?? ''}`;
  const time = `${parts['hour'] ?? ''}:${parts['minute'] ?? ''}`;
  const weekday = new Intl.DateTimeFormat('en', { timeZone, weekday: 'long' }).format(at);
  return { date, time, datetime: `${date} ${time}`, weekday, timezone: timeZone, model };
}

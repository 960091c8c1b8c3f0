import type { ConversationExample, Message, ModelInput } from '@toolyard/protocol';
import { withCompactedMessages } from './context/compaction.ts';
import type { Placeholders, ServerNotes } from './context/instructions.ts';
import { withPlaceholders, withServerInstructions, withSkills } from './context/instructions.ts';
import { withServerContent } from './context/server-content.ts';
import { withExamples, withinHistory, withInputTemplate, withReadableAttachments } from './context/user-messages.ts';
import { withCappedToolResults, withTrimmedResults } from './context/tool-results.ts';
import { withoutUserContent } from './context/user-content.ts';
import { withContinuePrompts, withoutEmptyAnswers, withResultsInPlace } from './context/well-formed.ts';
import { withEditedArguments } from './edited-arguments.ts';
import { withSpeakers } from './group/speakers.ts';

/** Data for the processors besides the messages. The same object means the same content. */
export type ContextSources = {
  serverInstructions: ServerNotes;
  /** The list of the skills that the model can read, as it is sent; absent: none. */
  skills?: string;
  /** Context window in tokens; absent: unknown. */
  window?: number;
  /** Input that the model accepts; absent: unknown. */
  inputs?: readonly ModelInput[];
  /** Limit of latest messages to send. */
  historyMessages?: number;
  examples?: readonly ConversationExample[];
  /** Template for user messages; `{{text}}` is replaced by the message. */
  inputTemplate?: string;
  placeholders?: Placeholders;
};

type Processor = (messages: readonly Message[], sources: ContextSources) => readonly Message[];

/**
 * A model receives the conversation after these processors, in this order. Each is pure and returns a message it does
 * not change as the same object, so that results per message can be cached. Processors with stable output come first,
 * to keep the prefix stable for providers' prompt caches.
 */
const PROCESSORS: readonly Processor[] = [
  withoutEmptyAnswers,
  withCompactedMessages,
  withSpeakers,
  withinHistory,
  withResultsInPlace,
  withContinuePrompts,
  withPlaceholders,
  withSkills,
  withServerInstructions,
  withExamples,
  withInputTemplate,
  withServerContent,
  withReadableAttachments,
  withoutUserContent,
  withCappedToolResults,
  withEditedArguments,
  withTrimmedResults,
];

/** Converts the messages of a conversation into those of a request. */
export function buildContext(messages: readonly Message[], sources: ContextSources): readonly Message[] {
  return PROCESSORS.reduce<readonly Message[]>((current, process) => process(current, sources), messages);
}

/** True if the messages or the template contain placeholders. */
export function usesPlaceholders(messages: readonly Message[], { inputTemplate = '' }: ContextSources): boolean {
  const [first] = messages;
  return (
    inputTemplate.includes('{{') || (first?.role === 'system' && first.parts.some(({ text }) => text.includes('{{')))
  );
}

/** Values of `{{date}}` and other placeholders at a time. They change at most every minute. */
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

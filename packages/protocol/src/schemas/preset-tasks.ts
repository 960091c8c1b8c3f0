import { z } from 'zod';
import { TRANSLATION_LANGUAGES } from '../preset-tasks.ts';
import { existingId, named } from './common.ts';

const text = z.string().max(200_000);
const translationLanguage = z.enum(TRANSLATION_LANGUAGES);

const common = {
  /** Its model is used, unless the task has a model of its own. */
  conversationId: existingId.exactOptional(),
  /** Calls with the same id are spans of one trace. */
  traceId: z.string().min(1).max(100).exactOptional(),
};
const ofConversation = { ...common, conversationId: existingId };
/** What is known of an agent; the task writes the missing part. */
const agent = z.strictObject({
  title: text.exactOptional(),
  description: text.exactOptional(),
  instructions: text.exactOptional(),
});
const ofAgent = {
  ...common,
  agent,
  /** Language of the result; absent: that of the agent's texts. */
  language: z.string().max(35).exactOptional(),
};

export const presetTaskCall = named(
  'PresetTaskCall',
  z.discriminatedUnion('task', [
    z.strictObject({ task: z.literal('title'), ...ofConversation }),
    z.strictObject({ task: z.literal('agent-avatar'), ...ofAgent }),
    z.strictObject({ task: z.literal('agent-title'), ...ofAgent }),
    z.strictObject({ task: z.literal('agent-description'), ...ofAgent }),
    z.strictObject({ task: z.literal('agent-tags'), ...ofAgent }),
    z.strictObject({ task: z.literal('detect-language'), text, ...common }),
    z.strictObject({ task: z.literal('translate'), text, to: translationLanguage, ...common }),
    z.strictObject({ task: z.literal('summarize'), ...ofConversation }),
    z.strictObject({
      task: z.literal('complete-input'),
      before: text,
      after: text.exactOptional(),
      ...common,
    }),
    z.strictObject({ task: z.literal('decide-search'), text, ...common }),
  ]),
);
/** A preset task with its input. */
export type PresetTaskCall = z.output<typeof presetTaskCall>;

export const presetTaskResult = named(
  'PresetTaskResult',
  z.discriminatedUnion('task', [
    z.strictObject({
      task: z.enum([
        'title',
        'agent-avatar',
        'agent-title',
        'agent-description',
        'translate',
        'summarize',
        'complete-input',
      ]),
      value: z.string(),
    }),
    z.strictObject({ task: z.literal('agent-tags'), value: z.array(z.string()) }),
    /** Null: a language that is not in the list. */
    z.strictObject({ task: z.literal('detect-language'), value: translationLanguage.nullable() }),
    /** The query to search the web for; null: no search is needed. */
    z.strictObject({ task: z.literal('decide-search'), value: z.string().nullable() }),
  ]),
);
/** The result of a preset task. */
export type PresetTaskResult = z.output<typeof presetTaskResult>;
/** The type of the value of each task. */
export type PresetTaskValues = { [Result in PresetTaskResult as Result['task']]: Result['value'] };

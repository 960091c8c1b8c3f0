import type { JsonObject, JsonValue, Message, ModelParameters } from '@toolyard/protocol';
import type { Script } from './script.ts';
import { detectScript } from './script.ts';

/** A question with the answer a model should give, so that it answers in the same form. */
type Example = readonly [question: string, answer: string];

/** The request of a preset task, and how to read its answer. */
export type PresetPrompt<Value> = {
  messages: readonly Message[];
  parameters: ModelParameters;
  /** For an answer with a form. Without it the answer is text. */
  form?: {
    name: string;
    description: string;
    schema: JsonObject;
    /** The object in an answer that is not JSON, as weak models give it; undefined if it contains none. */
    fromText: (text: string) => JsonValue | undefined;
  };
  /** The answer is one line: the request can be cancelled once {@link hasWholeLine}. */
  isOneLine?: true;
  /** The value in an answer: text, or an object that matches the form. Undefined: the answer has no usable value. */
  read: (answer: JsonValue) => Value | undefined;
};

/**
 * Cheap and repeatable: no reasoning, no variation, and always an output limit, because a model that does not stop
 * would keep a server with one slot from answering other requests.
 */
export function cheap(maxOutputTokens: number): ModelParameters {
  return { temperature: 0, reasoningEffort: 'none', maxOutputTokens };
}

/** Output limit of the next request after one that reached its limit without text: the model reasons anyway. */
export const MAX_REASONING_TOKENS = 2_000;

/**
 * The messages of a request: instructions, examples as earlier turns, the input. An example in another script than the
 * answer would decide the language of a weak model's answer, so only those in the same script are sent. `script`:
 * default that of the input.
 */
export function promptMessages(
  instructions: string,
  input: string,
  examples: readonly Example[] = [],
  script: Script = detectScript(input),
): Message[] {
  const base = { parentId: null, createdAt: 0 } as const;
  const shown = examples.filter(([question]) => detectScript(question) === script);
  return [
    { ...base, id: 'instructions', role: 'system', parts: [{ type: 'text', text: instructions }] },
    ...shown.flatMap(([question, answer], at): Message[] => [
      { ...base, id: `question-${at}`, role: 'user', parts: [{ type: 'text', text: question }] },
      {
        ...base,
        id: `answer-${at}`,
        role: 'assistant',
        parts: [{ type: 'text', text: answer }],
        runId: '',
        model: '',
        finishReason: 'stop',
      },
    ]),
    { ...base, id: 'input', role: 'user', parts: [{ type: 'text', text: input }] },
  ];
}

/**
 * The form of an object with one required field. `find`: the value of the field in an answer that is not JSON; undefined without
 * one.
 */
export function oneFieldForm(
  name: string,
  description: string,
  [field, schema]: readonly [name: string, schema: JsonObject],
  find: (text: string) => JsonValue | undefined,
): NonNullable<PresetPrompt<unknown>['form']> {
  return {
    name,
    description,
    schema: { type: 'object', properties: { [field]: schema }, required: [field], additionalProperties: false },
    fromText(text) {
      const value = find(text);
      return value === undefined ? undefined : { [field]: value };
    },
  };
}

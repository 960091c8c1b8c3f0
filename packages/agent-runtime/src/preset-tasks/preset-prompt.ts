import type { JsonObject, JsonValue, Message, ModelParameters } from '@toolyard/protocol';

/** A question with the answer a model should give, so that it answers in the same form. */
type Example = readonly [question: string, answer: string];

/** The request of a preset task, and how to read its answer. */
export type PresetPrompt<Value> = {
  messages: readonly Message[];
  parameters: ModelParameters;
  /** For an answer with a form. Without it the answer is text. */
  form?: { name: string; description: string; schema: JsonObject };
  /** The value in an answer: text, or an object that matches the form. Undefined: the answer has no usable value. */
  read: (answer: JsonValue) => Value | undefined;
};

/** Cheap and repeatable: no reasoning, no variation. */
export const CHEAP: ModelParameters = { temperature: 0, reasoningEffort: 'none' };

/** The messages of a request: instructions, examples as earlier turns, the input. */
export function promptMessages(instructions: string, input: string, examples: readonly Example[] = []): Message[] {
  const base = { parentId: null, createdAt: 0 } as const;
  return [
    { ...base, id: 'instructions', role: 'system', parts: [{ type: 'text', text: instructions }] },
    ...examples.flatMap(([question, answer], at): Message[] => [
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

/** An object schema with one required property. */
export function oneField(name: string, schema: JsonObject): JsonObject {
  return { type: 'object', properties: { [name]: schema }, required: [name], additionalProperties: false };
}

/**
 * The text of a short answer: its first line, without label, quotes, Markdown marks and closing punctuation; cut at a
 * word. Undefined if nothing is left.
 */
export function readLine(answer: JsonValue, maxLength: number): string | undefined {
  if (typeof answer !== 'string') return undefined;
  const line = answer
    .split('\n')
    .map((each) => each.replace(/^[\s#>*-]+/, '').trim())
    .find((each) => each !== '' && !each.startsWith('```'));
  if (line === undefined) return undefined;
  const bare = line
    .replace(/^(?:title|name|description|标题|標題|名称|名稱)\s*[:：]\s*/i, '')
    .replaceAll(/\*\*|__|`/g, '')
    .replace(/^["'“”‘’「『《]+/, '')
    .replace(/["'“”‘’」』》.。!！,，;；:：]+$/, '')
    .trim();
  return bare === '' ? undefined : cutAtWord(bare, maxLength);
}

/** A text that is shortened says so: it ends with an ellipsis, after a whole word. */
export function cutAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength).toWellFormed();
  const space = cut.lastIndexOf(' ');
  return `${(space > maxLength / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

import type { ModelReply } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import type { ModelMessage } from '../support/server-instances.ts';

/** What a person asks for: so many calls in each turn. The question itself says it, so that the model needs no memory. */
export type LoadScenario = { name: string; turns: number[] };

export function loadScenarioAt(name: string, random: () => number): LoadScenario {
  const turns = Array.from({ length: 1 + Math.floor(random() * 3) }, () => 1 + Math.floor(random() * 3));
  return { name, turns };
}

export function questionOf(story: LoadScenario): string {
  return JSON.stringify(story);
}

/** The model: turn by turn the calls the last question asks for, each by a name no other call has. */
export function script(messages: readonly ModelMessage[]): ModelReply {
  // What is said in between is no question.
  const last = messages.findLastIndex(({ role, content }) => role === 'user' && readStory(content) !== null);
  const story = readStory(messages[last]?.content);
  if (!story) return reply.text('That was no question of this test.');
  const turn = messages.slice(last + 1).filter(({ role }) => role === 'assistant').length;
  const size = story.turns[turn];
  if (size === undefined) {
    return reply.text('I have counted all there was, word by word, as you asked me to do.', { pieces: 5, delayMs: 40 });
  }
  const calls = Array.from({ length: size }, (_none, index) => {
    const call = `${story.name}/${String(turn)}.${String(index)}`;
    return { id: call.replaceAll(/\W/g, '_'), name: 'count', arguments: { call } };
  });
  return reply.toolCalls(calls, { text: 'Let me count, if I may.', pieces: 6, delayMs: 30 });
}

/** The conversation a request belongs to, by the last question in it. */
export function conversationOf(messages: readonly ModelMessage[]): string {
  const story = messages.map(({ content }) => readStory(content)).findLast((read) => read !== null);
  return story?.name.split('.')[0] ?? '';
}

/** What a person says to a run under way; it is found again in whatever it is sent together with. */
export function remarkOf(id: string): string {
  return `By the way, this is ${id}.`;
}

const REMARK = /By the way, this is [^.]+\./g;
const STORY = /\{"name":.*?\]\}/s;

/** How often each remark stands in a request. */
export function remarksIn(messages: readonly ModelMessage[]): Map<string, number> {
  const said = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => textOf(content).match(REMARK) ?? []);
  return new Map([...Map.groupBy(said, (remark) => remark)].map(([remark, all]) => [remark, all.length]));
}

/** The wire sends what a person says in a row as one message. */
function textOf(content: unknown): string {
  return Array.isArray(content)
    ? content.map((part: { text?: string }) => part.text ?? '').join('\n')
    : String(content);
}

function readStory(content: unknown): LoadScenario | null {
  const read = parseJson(STORY.exec(textOf(content))?.[0] ?? '');
  if (!read.ok || !isJsonObject(read.value)) return null;
  return read.value as unknown as LoadScenario;
}

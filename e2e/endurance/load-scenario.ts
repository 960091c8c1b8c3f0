import type { ModelReply } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import type { ModelMessage } from '../support/server-instances.ts';

/**
 * The message of a user names the number of calls per turn, so that the model needs no state. `subAgents`: then so
 * many tasks are delegated.
 */
export type LoadScenario = { name: string; turns: number[]; subAgents?: number };

/** The members of the group; each has its turn for each message. */
export const MEMBERS = ['Ada', 'Bob'] as const;

export function loadScenarioAt(name: string, random: () => number): LoadScenario {
  const turns = Array.from({ length: 1 + Math.floor(random() * 3) }, () => 1 + Math.floor(random() * 3));
  return random() < 0.3 ? { name, turns, subAgents: 1 + Math.floor(random() * 3) } : { name, turns };
}

/** What a schedule asks; its runs call no tool, because their calls would all be the same. */
export const SCHEDULED_TASK = 'Say that it is time.';

export function toMessage(scenario: LoadScenario): string {
  return JSON.stringify(scenario);
}

/** The model: requests the calls of the last message, turn by turn, each with a unique name. */
export function script(messages: readonly ModelMessage[]): ModelReply {
  if (readText(messages.findLast(({ role }) => role === 'user')?.content).includes(SCHEDULED_TASK)) {
    return reply.text('It is time.', { pieces: 3, delayMs: 40 });
  }
  // Steered messages start no run.
  const last = messages.findLastIndex(({ role, content }) => role === 'user' && readScenario(content) !== null);
  const asked = readScenario(messages[last]?.content);
  if (!asked) return reply.text('That was no message of this test.');
  const member = memberIn(messages);
  const scenario = member === null ? asked : { name: `${asked.name}~${member}`, turns: asked.turns.slice(0, 1) };
  const turn = messages.slice(last + 1).filter(({ role }) => role === 'assistant').length;
  const { name, subAgents = 0 } = scenario;
  if (turn === scenario.turns.length && subAgents > 0) return delegation(name, subAgents);
  const size = scenario.turns[turn];
  if (size === undefined) {
    return reply.text('I have counted all there was, word by word, as you asked me to do.', { pieces: 5, delayMs: 40 });
  }
  const calls = Array.from({ length: size }, (_none, index) => {
    const call = `${name}/${String(turn)}.${String(index)}`;
    return { id: call.replaceAll(/\W/g, '_'), name: 'count', arguments: { call } };
  });
  return reply.toolCalls(calls, { text: 'Let me count, if I may.', pieces: 6, delayMs: 30 });
}

/** Each sub-agent has a scenario of its own, and its name as the title of its conversation. */
function delegation(name: string, subAgents: number): ModelReply {
  const tasks = Array.from({ length: subAgents }, (_none, index) => {
    const own: LoadScenario = { name: `${name}~${String(index)}`, turns: [1, 2] };
    return { title: own.name, task: toMessage(own), ...(index === 1 ? { context: 'inherit' } : {}) };
  });
  const id = `${name}_share`.replaceAll(/\W/g, '_');
  return reply.toolCalls([{ id, name: 'delegate_task', arguments: { tasks } }], { pieces: 6, delayMs: 30 });
}

/**
 * The conversation of a request, from its last message: its id, or the name of a sub-agent or of the turn of a member.
 */
export function readConversation(messages: readonly ModelMessage[]): string {
  const asked = messages.map(({ content }) => readScenario(content)).findLast((read) => read !== null)?.name ?? '';
  const member = memberIn(messages);
  const name = member === null ? asked : `${asked}~${member}`;
  return name.includes('~') ? name : (name.split('.')[0] ?? '');
}

/** The member whose turn it is, in a request of a group. */
function memberIn(messages: readonly ModelMessage[]): string | null {
  const last = messages.findLast(({ role }) => role === 'user');
  return /It is your turn, (\w+)/.exec(readText(last?.content))?.[1] ?? null;
}

/** A steered message with a unique text, which can be found in combined messages. */
export function formatRemark(id: string): string {
  return `By the way, this is ${id}.`;
}

const REMARK = /By the way, this is [^.]+\./g;
const STORY = /\{"name":[^{}]*\}/;

/** Number of occurrences of each steered message in a request. */
export function remarksIn(messages: readonly ModelMessage[]): Map<string, number> {
  const remarks = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => readText(content).match(REMARK) ?? []);
  return new Map([...Map.groupBy(remarks, (remark) => remark)].map(([remark, all]) => [remark, all.length]));
}

/** The API format combines consecutive messages of the user. */
function readText(content: unknown): string {
  return Array.isArray(content)
    ? content.map((part: { text?: string }) => part.text ?? '').join('\n')
    : String(content);
}

function readScenario(content: unknown): LoadScenario | null {
  const read = parseJson(STORY.exec(readText(content))?.[0] ?? '');
  if (!read.ok || !isJsonObject(read.value)) return null;
  return read.value as unknown as LoadScenario;
}

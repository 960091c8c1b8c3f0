import type { Message, RunEvent, StoredInterrupt } from '@toolyard/protocol';
import type { ModelReply } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import type { ModelMessage } from '../support/lives.ts';
import { told } from '../support/transcript.ts';

/** Two questions, the second of which waits in the queue while the first is answered. */
export const QUESTIONS = ['Count, please.', 'And once more.'] as const;

/** How often the tool is called in all; the calls are told apart by their argument `n`, from 1 on. */
const CALLS = 4;

const call = (n: number) => ({ id: `call_${n}`, name: 'count', arguments: { n } });

/** What the model says to each question, answer by answer: calls side by side, one written as text, one alone. */
const ANSWERS: readonly (readonly ModelReply[])[] = [
  [
    reply.toolCalls([call(1), call(2)], { text: 'Let me count.', pieces: 8, delayMs: 1 }),
    reply.text('<tool_call>\n{"name": "count", "arguments": {"n": 3}}\n</tool_call>', { pieces: 20, delayMs: 1 }),
    reply.text('I have counted all there was, as you asked me to do.', { pieces: 13, delayMs: 2 }),
  ],
  [
    reply.toolCalls([call(4)], { text: 'Again.', pieces: 8, delayMs: 1 }),
    reply.text('That was once more.', { pieces: 10, delayMs: 1 }),
  ],
];

/** Answers by what was said since the last question, so that it says the same however often it is asked. */
export function script(messages: readonly ModelMessage[]): ModelReply {
  const questions = messages.filter(({ role }) => role === 'user').length;
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const said = since.filter(({ role }) => role === 'assistant').length;
  return ANSWERS[questions - 1]?.[said] ?? reply.text('The script has no answer to that.');
}

/** The story as it was told, whatever numbers the counting came to: a call repeated counts on. */
export function storyOf(messages: readonly Message[]): string[] {
  return told(messages).map((line) => line.replace(/^tool: \d+ /, 'tool: counted '));
}

/** Calls that took effect more or less often than a person has consented to. */
export function effectsBeyondConsent(made: readonly number[], answered: readonly StoredInterrupt[]): string[] {
  return Array.from({ length: CALLS }, (_none, index) => index + 1).flatMap((n) => {
    const effects = made.filter((each) => each === n).length;
    const repeats = answered.filter(
      ({ interrupt, answer }) =>
        interrupt.kind === 'in_doubt' && interrupt.arguments['n'] === n && answer?.decision === 'repeat',
    ).length;
    const fits = repeats === 0 ? effects === 1 : effects >= repeats && effects <= 1 + repeats;
    return fits ? [] : [`call ${n} took effect ${effects} times, and was repeated ${repeats} times on a person's word`];
  });
}

/** Gaps and doubles in what a reader was told. */
export function misnumbered(events: readonly RunEvent[]): string[] {
  return events.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`event ${index + 1} has the number ${seq}`]));
}

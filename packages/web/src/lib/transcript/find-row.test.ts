import { expect, it } from 'vitest';
import { buildRows } from './build-rows.ts';
import { answerText } from './find-row.ts';
import { markAnswers } from './mark-answers.ts';
import { assistantMessage, toolCall, toolMessage, toolResult, userMessage } from './test-fixtures/test-events.ts';
import { rowList } from './transcript.ts';

const first = assistantMessage(
  'a1',
  [{ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'One moment.' }, toolCall('c1')],
  {
    finishReason: 'tool_calls',
    usage: { inputTokens: 100, outputTokens: 20 },
    cost: 0.25,
  },
);
const rows = markAnswers(
  buildRows({
    messages: [
      userMessage('u1', 'What time is it?'),
      first,
      toolMessage('t1', 'c1', toolResult('noon'), 'a1'),
      assistantMessage('a2', [{ type: 'text', text: 'It is noon.' }], {
        parentId: 't1',
        usage: { inputTokens: 150, outputTokens: 5 },
        cost: 0.5,
      }),
      userMessage('u2', 'And now?', 'a2'),
      assistantMessage('a4', [{ type: 'text', text: 'Later.' }], { parentId: 'u2', runId: 'r2' }),
    ],
    alternatives: {},
    abandoned: [
      assistantMessage('a3', [{ type: 'text', text: 'It is n' }], { parentId: 't1', finishReason: 'abandoned' }),
    ],
  }),
);

it('copies an answer as one text: all its messages, without reasoning and abandoned attempts', () => {
  const list = rowList({ history: rows, tail: [] });
  expect(answerText(list, 'a2')).toBe('One moment.\n\nIt is noon.');
  expect(answerText(list, 'a4')).toBe('Later.');
});

it('sums the usage of all messages of an answer', () => {
  const answers = rows.flatMap((row) => (row.kind === 'assistant' && row.answer !== null ? [row.answer] : []));
  expect(answers.map(({ messageId, usage, cost }) => [messageId, usage, cost])).toEqual([
    ['a1', { inputTokens: 250, outputTokens: 25 }, 0.75],
    ['a4', null, null],
  ]);
});

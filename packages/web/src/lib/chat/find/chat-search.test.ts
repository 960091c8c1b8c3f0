import { expect, it } from 'vitest';
import { buildRows } from '../../transcript/build-rows.ts';
import { markAnswers } from '../../transcript/mark-answers.ts';
import {
  assistantMessage,
  toolCall,
  toolMessage,
  toolResult,
  userMessage,
} from '../../transcript/test-fixtures/test-events.ts';
import type { TranscriptRow } from '../../transcript/rows.ts';
import { rowList } from '../../transcript/transcript.ts';
import { ChatSearch } from './chat-search.svelte.ts';

const rows = markAnswers(
  buildRows({
    messages: [
      userMessage('u1', 'What is the *time* in Tokyo?'),
      assistantMessage('a1', [
        { type: 'reasoning', text: 'The user asks for Tokyo.' },
        { type: 'text', text: 'One **mo**ment, [Tokyo](https://example.org/tokyo).\n\n| a |\n|--|\n| tokyo & co |' },
        toolCall('c1'),
      ]),
      toolMessage('t1', 'c1', toolResult('Noon in TOKYO'), 'a1'),
      userMessage('u2', 'Thanks', 't1'),
    ],
    alternatives: {},
    abandoned: [],
  }),
);
const list = (history: readonly TranscriptRow[]) => rowList({ history, tail: [] });
const search = () => new ChatSearch(() => Promise.resolve());

it('finds a text in messages as shown, in reasoning, and in arguments and results of calls', async () => {
  const chat = search();
  await chat.search('tokyo', list(rows), null);
  expect(chat.hits.map(({ key, part, place }) => [key, part.key, place])).toEqual([
    ['u1', 'text', 0],
    ['a1', '0', 0],
    ['a1', '1', 0],
    ['a1', '1', 1],
    ['a1', 'c1', 0],
    ['a1', 'c1', 1],
  ]);
  expect(chat.hits[1]?.part.within).toEqual(['a1:0']);
  expect(chat.hits[4]?.part.within).toEqual(['calls:c1', 'r1:c1']);
  await chat.search('moment, tokyo.', list(rows), null);
  expect(chat.hits).toHaveLength(1);
  await chat.search('tokyo & co', list(rows), null);
  expect(chat.hits).toHaveLength(1);
  await chat.search('**', list(rows), null);
  expect(chat.hits).toHaveLength(0);
});

it('begins at the first visible row, moves around the ends, and keeps its hit when messages arrive', async () => {
  const chat = search();
  await chat.search('tokyo', list(rows.slice(1)), 'a1');
  expect(chat.current).toBe(0);
  chat.move(-1);
  expect(chat.current).toBe(4);
  await chat.search('tokyo', list(rows), null);
  expect(chat.current).toBe(5);
  chat.move(1);
  expect(chat.current).toBe(0);
  await chat.search('thanks', list(rows), null);
  expect(chat.hits.map(({ key }) => key)).toEqual(['u2']);
  await chat.search('', list(rows), null);
  expect([chat.hits.length, chat.current]).toEqual([0, -1]);
});

it('drops the result of a search that another one replaced', async () => {
  let now = 0;
  const chat = new ChatSearch(
    () => Promise.resolve(),
    () => (now += 100),
  );
  const first = chat.search('tokyo', list(rows), null);
  await chat.search('thanks', list(rows), null);
  await first;
  expect(chat.hits.map(({ key }) => key)).toEqual(['u2']);
});

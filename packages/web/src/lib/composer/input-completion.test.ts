import { expect, test } from 'vitest';
import type { TypedText } from './input-completion.ts';
import { InputCompletion } from './input-completion.ts';

function open() {
  const requests: { before: string; signal: AbortSignal; answer: (text: string) => void; fail: () => void }[] = [];
  const timers = new Set<() => void>();
  let shown = '';
  const completion = new InputCompletion({
    complete: (before, signal) =>
      new Promise((resolve, reject) =>
        requests.push({ before, signal, answer: resolve, fail: () => reject(new Error()) }),
      ),
    after(_ms, work) {
      timers.add(work);
      return () => timers.delete(work);
    },
    show: (suggestion) => (shown = suggestion),
  });
  return {
    completion,
    requests,
    shown: () => shown,
    type: (text: string, more: Partial<TypedText> = {}) =>
      completion.typed({ text, selectionStart: text.length, selectionEnd: text.length, isComposing: false, ...more }),
    pause: () => {
      for (const work of timers) work();
      timers.clear();
    },
  };
}

test('suggests after a pause, and accepting adds the suggestion to the text', async () => {
  const { type, pause, requests, shown, completion } = open();
  type('Write a le');
  type('Write a let');
  pause();
  expect(requests.map(({ before }) => before)).toEqual(['Write a let']);
  requests[0]?.answer('ter to my landlord');
  await expect.poll(shown).toBe('ter to my landlord');
  expect(completion.accept()).toBe('Write a letter to my landlord');
  expect([shown(), completion.accept()]).toEqual(['', null]);
});

test('typing aborts the request and hides the suggestion; a late answer is dropped', async () => {
  const { type, pause, requests, shown } = open();
  type('Write a let');
  pause();
  type('Write a lett');
  expect(requests[0]?.signal.aborted).toBe(true);
  requests[0]?.answer('ter');
  pause();
  requests[1]?.answer('er');
  await expect.poll(shown).toBe('er');
  type('Write a lette');
  expect(shown()).toBe('');
});

test('Escape dismisses only a suggestion that is shown; a failure shows none', async () => {
  const { type, pause, requests, shown, completion } = open();
  type('Write a let');
  expect(completion.dismiss()).toBe(false);
  type('Write a let');
  pause();
  requests[0]?.fail();
  await Promise.resolve();
  expect(shown()).toBe('');
  type('Write a let');
  pause();
  requests[1]?.answer('ter');
  await expect.poll(shown).toBe('ter');
  expect(completion.dismiss()).toBe(true);
  expect(shown()).toBe('');
});

test.each([
  ['a menu of commands', '/rev', {}],
  ['a command with text', '/review my code', {}],
  ['a menu of mentions', 'Ask @fil', {}],
  ['a full-width sign', 'Ask ＠fil', {}],
  ['a short text', 'Hi', {}],
  ['an input method', 'ni hao ma', { isComposing: true }],
  ['a cursor inside the text', 'Write a let', { selectionStart: 2, selectionEnd: 2 }],
  ['a selection', 'Write a let', { selectionStart: 2 }],
])('asks nothing for %s', (_name, text, more) => {
  const { type, pause, requests } = open();
  type(text, more);
  pause();
  expect(requests).toEqual([]);
});

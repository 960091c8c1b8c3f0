import { expect, it } from 'vitest';
import type { AppAnswer } from './app-questions.svelte.ts';
import { AppQuestions } from './app-questions.svelte.ts';

const link = { kind: 'link', url: 'https://example.org' } as const;

/** Asks a question and answers it. */
async function answered(questions: AppQuestions, answer: AppAnswer): Promise<AppAnswer> {
  const asked = questions.ask(link);
  questions.current?.answer(answer);
  return asked;
}

it('mutes an app after three denials in a row, until the user allows it to ask again', async () => {
  const questions = new AppQuestions();
  for (const answer of ['deny', 'never', 'once', 'deny', 'deny'] as const) await answered(questions, answer);
  expect(questions.isMuted).toBe(false);
  const waiting = [questions.ask(link), questions.ask(link)];
  questions.current?.answer('deny');
  expect(questions.isMuted).toBe(true);
  // What waited is denied without being shown.
  expect(await Promise.all(waiting)).toEqual(['deny', 'deny']);
  expect(questions.current).toBeNull();
  await expect(questions.ask(link)).rejects.toThrow('is not asked again');
  questions.unmute();
  expect(await answered(questions, 'once')).toBe('once');
});

it('shows one question at a time and rejects those of an app that asks too fast', async () => {
  const questions = new AppQuestions();
  const asked = [questions.ask(link), questions.ask(link), questions.ask(link)];
  await expect(questions.ask(link)).rejects.toThrow('Too many questions');
  const [first] = asked;
  const { current } = questions;
  current?.answer('once');
  // A second click on the same dialog answers nothing else.
  current?.answer('deny');
  expect(await first).toBe('once');
  expect(questions.current).not.toBeNull();
  questions.reset();
  expect(await Promise.all(asked)).toEqual(['once', 'deny', 'deny']);
  expect(questions.isMuted).toBe(false);
});

import { expect, it } from 'vitest';
import { AnswerGuard } from './answer-guard.ts';

it('accepts keys one second after the interrupt appeared, and after it received the focus', () => {
  let now = 0;
  const guard = new AnswerGuard(() => now);
  now = 999;
  expect(guard.accepts).toBe(false);
  now = 1_000;
  expect(guard.accepts).toBe(true);
  now = 5_000;
  guard.restart();
  now = 5_999;
  expect(guard.accepts).toBe(false);
  now = 6_000;
  expect(guard.accepts).toBe(true);
});

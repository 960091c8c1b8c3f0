import { expect, it } from 'vitest';
import type { AppAnswer } from './app-approvals.svelte.ts';
import { AppApprovals } from './app-approvals.svelte.ts';

const link = { kind: 'link', url: 'https://example.org' } as const;

/** Sends a request and answers it. */
async function answered(approvals: AppApprovals, answer: AppAnswer): Promise<AppAnswer> {
  const asked = approvals.ask(link);
  approvals.current?.answer(answer);
  return asked;
}

it('mutes an app after three denials in a row, until the user allows it to ask again', async () => {
  const approvals = new AppApprovals();
  for (const answer of ['deny', 'never', 'once', 'deny', 'deny'] as const) await answered(approvals, answer);
  expect(approvals.isMuted).toBe(false);
  const waiting = [approvals.ask(link), approvals.ask(link)];
  approvals.current?.answer('deny');
  expect(approvals.isMuted).toBe(true);
  // What waited is denied without being shown.
  expect(await Promise.all(waiting)).toEqual(['deny', 'deny']);
  expect(approvals.current).toBeNull();
  await expect(approvals.ask(link)).rejects.toThrow('is not asked again');
  approvals.unmute();
  expect(await answered(approvals, 'once')).toBe('once');
});

it('shows one request at a time and rejects those of an app that asks too fast', async () => {
  const approvals = new AppApprovals();
  const asked = [approvals.ask(link), approvals.ask(link), approvals.ask(link)];
  await expect(approvals.ask(link)).rejects.toThrow('Too many questions');
  const [first] = asked;
  const { current } = approvals;
  current?.answer('once');
  // A second click on the same dialog answers nothing else.
  current?.answer('deny');
  expect(await first).toBe('once');
  expect(approvals.current).not.toBeNull();
  approvals.reset();
  expect(await Promise.all(asked)).toEqual(['once', 'deny', 'deny']);
  expect(approvals.isMuted).toBe(false);
});

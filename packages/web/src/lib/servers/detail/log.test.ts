import { expect, it } from 'vitest';
import type { McpLogEntry, McpLogPage } from '@toolyard/protocol';
import { LogFollower } from './log-follower.svelte.ts';
import { filterLog, logAsText } from './log-text.ts';

const event = (id: string, text: string): McpLogEntry => ({
  id,
  kind: 'event',
  at: 0,
  phase: 'listing',
  level: 'info',
  text,
});
const message = (id: string, method: string): McpLogEntry => ({
  id,
  kind: 'message',
  at: 0,
  direction: 'sent',
  message: 'request',
  method,
  requestId: 7,
  text: '{}',
});

it('finds entries of a kind by all words of the filter', () => {
  const entries = [event('1', 'Tool "a" is set aside'), event('2', 'connected'), message('3', 'tools/list')];
  expect(filterLog(entries, 'event', '').map(({ id }) => id)).toEqual(['1', '2']);
  expect(filterLog(entries, 'event', 'ASIDE tool').map(({ id }) => id)).toEqual(['1']);
  expect(filterLog(entries, 'message', 'sent tools #')).toEqual([]);
  expect(filterLog(entries, 'message', 'sent tools').map(({ id }) => id)).toEqual(['3']);
  expect(logAsText(entries.slice(2))).toBe('1970-01-01T00:00:00.000Z sent request tools/list 7 {}');
});

it('continues after the last entry, keeps its entries on errors, and adds none twice', async () => {
  const asked: (string | null)[] = [];
  const answers: ((McpLogPage & { whole?: true }) | Error)[] = [
    { items: [event('1', 'a')], next: 'x' },
    { items: [event('2', 'b')], next: 'y' },
    { items: [event('2', 'b'), event('3', 'c')], next: 'z' },
  ];
  const log = new LogFollower(async (after) => {
    asked.push(after);
    const answer = answers.shift();
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('asked too often');
    return answer;
  });
  await log.read();
  await log.read();
  await log.read();
  expect(asked).toEqual([null, 'x', 'y']);
  expect(log.entries.map(({ id }) => id)).toEqual(['1', '2', '3']);
  answers.push({ items: [event('9', 'z')], next: '', whole: true });
  await log.read();
  expect(log.entries.map(({ id }) => id)).toEqual(['9']);
});

import { expect, test } from 'vitest';
import { readLocale } from './locale.ts';
import { allTimeZones, readTimeZone } from './time-zone.ts';

test.each([
  ['asia/tokyo', 'Asia/Tokyo'],
  ['AMERICA/ARGENTINA/BUENOS_AIRES', 'America/Argentina/Buenos_Aires'],
  [' Europe/Paris ', 'Europe/Paris'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['asia/kolkata', 'Asia/Kolkata'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['US/Pacific', 'America/Los_Angeles'],
  ['utc', 'UTC'],
  ['Etc/UTC', 'UTC'],
  ['+05:30', '+05:30'],
])('reads %s as %s', (written, name) => {
  expect(readTimeZone(written)).toEqual({ ok: true, value: name });
});

test('suggests only valid names', () => {
  for (const name of allTimeZones()) expect(readTimeZone(name)).toEqual({ ok: true, value: name });
});

test.each([
  ['Asia/Tokio', 'Asia/Tokyo'],
  ['tokyo', 'Asia/Tokyo'],
  ['New York', 'America/New_York'],
  ['America/NewYork', 'America/New_York'],
  ['Kolkatta', 'Asia/Kolkata'],
  ['sao paulo', 'America/Sao_Paulo'],
  ['Europe/Lodon', 'Europe/London'],
])('answers %s with the suggestion %s', (written, name) => {
  const read = readTimeZone(written);
  expect(read.ok ? '' : read.problem).toMatch(new RegExp(`Nearest: [^.]*${name}`));
});

test.each(['東京', 'Mars/Olympus', 'Z', 'GMT+9', '/', 'x'.repeat(5000)])('rejects %s with examples', (written) => {
  const read = readTimeZone(written);
  expect(read.ok).toBe(false);
  const problem = read.ok ? '' : read.problem;
  expect(problem).toContain('Europe/London');
  expect(problem.length).toBeLessThan(400);
});

test('does not read BST as Dhaka', () => {
  const read = readTimeZone('bst');
  expect(read.ok ? '' : read.problem).toContain('ambiguous');
});

test.each([
  ['zh-tw', 'zh-TW'],
  ['zh_TW.UTF-8', 'zh-TW'],
  ['EN-us', 'en-US'],
])('reads the locale %s as %s', (written, tag) => {
  expect(readLocale(written)).toEqual({ ok: true, value: tag });
});

test.each(['english', 'xx', '12', '日本語', '-'])('rejects the locale %s with examples', (written) => {
  const read = readLocale(written);
  expect(read.ok ? '' : read.problem).toContain('zh-TW');
});

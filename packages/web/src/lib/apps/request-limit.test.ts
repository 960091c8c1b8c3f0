import { expect, it } from 'vitest';
import { MAX_OPEN_REQUESTS, MAX_REQUESTS_PER_MINUTE, RequestLimit, getRequestLimit } from './request-limit.ts';

it('rejects requests over the limit of a minute without making them', async () => {
  let now = 0;
  let made = 0;
  const limit = new RequestLimit(() => now);
  const request = () => limit.run(async () => (made += 1));
  for (let index = 0; index < MAX_REQUESTS_PER_MINUTE; index += 1) await request();
  now = 45_000;
  await expect(request()).rejects.toThrow('More than 120 requests in a minute. Try again in 15 s.');
  expect(made).toBe(MAX_REQUESTS_PER_MINUTE);
  now = 60_000;
  await request();
  expect(made).toBe(MAX_REQUESTS_PER_MINUTE + 1);
});

it('rejects requests while too many are in progress, and counts failed ones as ended', async () => {
  const limit = new RequestLimit(() => 0);
  const ends: (() => void)[] = [];
  const open = Array.from({ length: MAX_OPEN_REQUESTS }, () =>
    limit.run(() => new Promise<void>((_, reject) => ends.push(() => reject(new Error('failed'))))),
  );
  await expect(limit.run(() => Promise.resolve())).rejects.toThrow('requests to the server are in progress');
  for (const end of ends) end();
  await Promise.allSettled(open);
  await limit.run(() => Promise.resolve());
});

it('is one limit for all apps of a server', () => {
  const of = { place: 'server', serverId: 'a' } as const;
  expect(getRequestLimit(of)).toBe(getRequestLimit({ ...of }));
  expect(getRequestLimit(of)).not.toBe(getRequestLimit({ ...of, place: 'tab' }));
});

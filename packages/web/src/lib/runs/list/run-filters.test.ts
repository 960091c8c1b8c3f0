import { expect, it } from 'vitest';
import { readFilters, requestQuery, writeFilters } from './run-filters.ts';

it('keeps filters in the address and ignores unknown ones', () => {
  const filters = { state: 'waiting', agent: 'a 1', origin: 'schedule', words: 'tea & milk' } as const;
  expect(readFilters(new URLSearchParams(writeFilters(filters)))).toEqual(filters);
  expect(writeFilters({ state: '', agent: '', origin: '', words: '' })).toBe('');
  expect(readFilters(new URLSearchParams('state=odd&origin=none'))).toMatchObject({ state: '', origin: '' });
});

it('asks the server for active runs with or without open interrupts', () => {
  const none = { state: '', agent: '', origin: '', words: ' ' } as const;
  expect(requestQuery(none)).toEqual({});
  const status = 'queued,running,parked,waiting_for_tab';
  expect(requestQuery({ ...none, state: 'waiting' })).toEqual({ status, asks: '1' });
  expect(requestQuery({ ...none, state: 'working', words: 'tea' })).toEqual({ status, asks: '0', q: 'tea' });
  expect(requestQuery({ ...none, state: 'stopped' })).toEqual({ status: 'cancelled' });
});

import type { UrlInterrupt } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { requesterName } from './ask-server-interrupt.ts';

const asked: UrlInterrupt = {
  id: 'q',
  callId: 'c',
  kind: 'elicitation',
  mode: 'url',
  name: 'book',
  tool: { serverId: 'hotel', name: 'book' },
  message: 'Pay here',
  url: 'https://pay.example.com/',
};

test('names the call of a request, or the conversations it may belong to', () => {
  expect(requesterName(asked, 'asks you')).toBe('The server hotel asks you (called as hotel/book)');
  const ambiguous = requesterName({ ...asked, mayBelongTo: ['a1', 'b2'] }, 'asks you');
  expect(ambiguous).toMatch(/did not name the call.*the first answer wins: a1, b2$/);
  expect(ambiguous).not.toContain('hotel/book');
});

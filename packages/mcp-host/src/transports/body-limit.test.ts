import { expect, test } from 'vitest';
import { limitMessages } from './body-limit.ts';

test('an event over the limit fails, also if its end is in the same chunk', async () => {
  const headers = { 'content-type': 'text/event-stream' };
  const answer = () => Promise.resolve(new Response(`data: ${'x'.repeat(200)}\n\n`, { headers }));
  const response = await limitMessages(answer, 100)('https://example.com/');
  await expect(response.text()).rejects.toThrow('exceeds the limit');
});

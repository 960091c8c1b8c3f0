import { createFakeClock } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { createReopening } from './stream-reopening.ts';
import type { TransportContext } from './transport.ts';

/** A client that wants its stream back whenever it has ended, as the protocol library does, for ten minutes. */
async function openingsInTenMinutes(answer: () => Response): Promise<{ openings: number; warnings: string[] }> {
  const clock = createFakeClock();
  const warnings: string[] = [];
  const context: TransportContext = { serverId: 'odd', clock, log: (_level, text) => warnings.push(text) };
  let openings = 0;
  const reopening = createReopening(
    async () => {
      openings++;
      return answer();
    },
    context,
    { onOpened: () => undefined, onGone: () => undefined },
  );
  const open = async (): Promise<void> => {
    const response = await reopening.fetch('http://odd.invalid/mcp', { method: 'GET' });
    await response.text();
    reopening.schedule(() => void open(), 1_000, 0);
  };
  await open();
  for (let second = 0; second < 600; second++) await clock.advance(1_000);
  return { openings, warnings };
}

const EVENTS = { 'content-type': 'text/event-stream' };

test('a server that accepts its stream and ends it at once is asked less and less, and then no more', async () => {
  const { openings, warnings } = await openingsInTenMinutes(() => new Response('', { headers: EVENTS }));
  expect(openings).toBe(10);
  expect(warnings).toHaveLength(1);
});

test('so is one that sends a web page in place of a stream', async () => {
  const { openings } = await openingsInTenMinutes(
    () => new Response('<p>', { headers: { 'content-type': 'text/html' } }),
  );
  expect(openings).toBe(10);
});

test('a stream that carried something is opened again when the server wants it', async () => {
  const { openings, warnings } = await openingsInTenMinutes(
    () => new Response('id: 1\ndata:\n\n', { headers: EVENTS }),
  );
  expect(openings).toBeGreaterThan(500);
  expect(warnings).toEqual([]);
});

import type { JsonObject } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { createFakeClock, within } from '@toolyard/testing';
import { expect, onTestFinished, test } from 'vitest';
import { connected } from '../node/test-fixtures/peers.ts';
import { startRawHttpServer } from '../node/test-fixtures/raw-http-server.ts';
import { createReopening } from './stream-reopening.ts';
import type { TransportContext } from './transport.ts';

/** A client that reopens its stream whenever it ends, like the SDK, for ten minutes. */
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

test('a stream that the server always ends at once is reopened less and less, then no more', async () => {
  const { openings, warnings } = await openingsInTenMinutes(() => new Response('', { headers: EVENTS }));
  expect(openings).toBe(10);
  expect(warnings).toHaveLength(1);
});

test('so is a web page instead of a stream', async () => {
  const { openings } = await openingsInTenMinutes(
    () => new Response('<p>', { headers: { 'content-type': 'text/html' } }),
  );
  expect(openings).toBe(10);
});

test('a stream that carried events is reopened at the interval the server requests', async () => {
  const { openings, warnings } = await openingsInTenMinutes(
    () => new Response('id: 1\ndata:\n\n', { headers: EVENTS }),
  );
  expect(openings).toBeGreaterThan(500);
  expect(warnings).toEqual([]);
});

test('a stream reopened for a response is closed after it, even if the server keeps it open', async () => {
  const closed = Promise.withResolvers<void>();
  let call: JsonObject = {};
  const server = await startRawHttpServer({
    instead: {
      'tools/call': (response, message) => {
        call = message;
        response.writeHead(200, EVENTS).end('id: 1\nretry: 1\ndata:\n\n');
      },
    },
    onGet: (response) => {
      if (response.req.headers['last-event-id'] === undefined) return void response.writeHead(405).end();
      response.once('close', closed.resolve);
      const answer = { jsonrpc: '2.0', id: call['id'], result: { content: [] } };
      response.writeHead(200, EVENTS).write(`data: ${JSON.stringify(answer)}\n\n`);
    },
  });
  onTestFinished(() => server.close());
  const transport = { type: 'http' as const, url: server.url };
  const host = await connected([{ id: 'odd', transport }], { clock: systemClock });
  onTestFinished(() => host.close());
  expect(await host.callTool({ serverId: 'odd', name: 'go' }, {}, { timeoutMs: 5_000 })).toMatchObject({
    isError: false,
  });
  await within(closed.promise, { what: 'the end of the stream' });
});

import type { ReadMcpResource } from '@toolyard/protocol';
import { expect, it } from 'vitest';
import type { Servers } from '../services.ts';
import { createInternalApi } from './internal-api.ts';
import type { Relays } from './relays.ts';
import { serverMethodPath } from './server-methods.ts';

it.each([
  [['files', 'file:///a'], { uri: 'file:///a' }],
  [['files', 'file:///a', true], { uri: 'file:///a', fresh: true }],
])('reads a resource for a process of this or the previous version: %j', async (args, expected) => {
  const asked: [id: string, request: ReadMcpResource][] = [];
  const servers = {
    read: (_principal: unknown, id: string, request: ReadMcpResource) => {
      asked.push([id, request]);
      return Promise.resolve({ contents: [] });
    },
  };
  const handle = createInternalApi({
    servers: servers as unknown as Servers,
    relays: {} as Relays,
    tokens: ['t'],
    log: () => undefined,
  });
  const body = JSON.stringify({ principal: { ownerId: 'o' }, args });
  const response = await handle(
    new Request(`http://tools${serverMethodPath('read')}`, {
      method: 'POST',
      body,
      headers: { authorization: 'Bearer t', 'content-length': String(body.length) },
    }),
  );
  expect(response.status).toBe(200);
  expect(asked).toEqual([['files', expected]]);
});

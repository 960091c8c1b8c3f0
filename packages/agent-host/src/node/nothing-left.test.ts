import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import {
  isAlive,
  listProcessTree,
  reply,
  runNode,
  scriptedMcpCommand,
  SOURCE_CONDITION,
  startModelServer,
} from '@toolyard/testing';
import { createAgent } from './index.ts';
import { DATE_SERVER } from './test-fixtures/test-agent.ts';

const INDEX = fileURLToPath(new URL('./index.ts', import.meta.url));

/** A program that creates an agent, runs it, closes it, and prints the resources it still holds. */
function program(baseUrl: string): string {
  return `
    import { createAgent } from ${JSON.stringify(INDEX)};
    import { setImmediate as turn } from 'node:timers/promises';
    const held = () => process.getActiveResourcesInfo().filter((name) => /Timeout|Process|Pipe/.test(name));
    const listeners = () => process.eventNames().map((name) => [String(name), process.listenerCount(name)]);
    const before = { held: held(), listeners: listeners() };
    const stop = new AbortController();
    let listening = 0;
    for (const [method, step] of [['addEventListener', 1], ['removeEventListener', -1]]) {
      const original = stop.signal[method].bind(stop.signal);
      stop.signal[method] = (...args) => { listening += step; return original(...args); };
    }
    const agent = await createAgent({
      model: { baseUrl: ${JSON.stringify(baseUrl)}, id: 'scripted' },
      servers: [${JSON.stringify(DATE_SERVER)}],
      limits: { maxWallTimeMs: 3_600_000 },
    });
    const { text } = await agent.run('Tokyo?', { signal: stop.signal }).result;
    const during = held();
    await agent.close();
    // The exit of a process may be reported shortly after it is visible.
    while (held().includes('ProcessWrap')) await turn();
    await turn();
    await turn();
    const after = { held: held(), listeners: listeners() };
    console.log(JSON.stringify({ text, during, before, after, listening }));
  `;
}

it('a closed agent leaves no process, pipe, timer or listener, and the program exits', async () => {
  await using server = await startModelServer([
    reply.toolCalls([{ name: 'get-date', arguments: { timezone: 'Asia/Tokyo' } }]),
    reply.text('Late.'),
  ]);
  const ran = await runNode([SOURCE_CONDITION, '--input-type=module', '-e', program(server.url)]);
  expect(ran, ran.stderr).toMatchObject({ code: 0, timedOut: false });
  const { text, during, before, after, listening } = JSON.parse(ran.stdout) as Record<string, unknown>;
  expect(text).toBe('Late.');
  // The server's process must be among the resources, or the comparison would prove nothing.
  expect(during).toContain('ProcessWrap');
  expect(after).toEqual(before);
  expect(listening).toBe(0);
});

it('a server that ignores the stop is killed together with its shell', async () => {
  const { command, args } = scriptedMcpCommand('stubborn');
  const line = [command, ...args].map((word) => `'${word}'`).join(' ');
  const before = new Set(listProcessTree(process.pid));
  const agent = await createAgent({
    model: { demo: true },
    // A second command keeps the shell running instead of being replaced by the server.
    servers: [{ id: 'odd', transport: { type: 'stdio', command: 'sh', args: ['-c', `${line}; true`] } }],
  });
  expect(agent.tools.map(({ name }) => name)).toEqual(['echo']);
  const children = listProcessTree(process.pid).filter((pid) => !before.has(pid));
  expect(children.length).toBeGreaterThanOrEqual(2);
  await agent.close();
  expect(children.filter(isAlive)).toEqual([]);
});

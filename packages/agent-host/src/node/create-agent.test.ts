import { describe, expect, it } from 'vitest';
import { isAlive, processTreeOf, reply, startModelServer } from '@toolyard/testing';
import { createAgent } from './index.ts';
import { agentOn, DATE_SERVER, EVERYTHING_SERVER } from './test-fixtures/test-agent.ts';

describe('createAgent', () => {
  it(
    'reports an unreachable server and works with the others',
    { tags: ['D2.06', 'D2.07', 'D9.14', 'D9.20'] },
    async () => {
      const log: string[] = [];
      await using server = await startModelServer([reply.text('Fine.')]);
      await using agent = await agentOn(server, {
        servers: [DATE_SERVER, { id: 'gone', transport: { type: 'stdio', command: 'no-such-command-here' } }],
        log: (line) => log.push(line),
      });
      expect(agent.tools.map(({ name }) => name)).toEqual(['get-date']);
      expect(agent.servers[1]).toMatchObject({ state: 'failed', error: { code: 'command_not_found' } });
      expect(log.join('\n')).toContain('no-such-command-here');
      expect((await agent.run('Hi').result).text).toBe('Fine.');
    },
  );

  it('needs no configuration for the demo, which says that it is not a model', { tags: ['D1.06'] }, async () => {
    await using agent = await createAgent({ model: { demo: true }, servers: [DATE_SERVER] });
    const { calls, text } = await agent.run('What time is it in Tokyo?').result;
    expect(calls[0]?.result.isError).toBe(false);
    expect(text).toMatch(/\d{1,2}:\d{2}/);
  });

  it(
    'closes client and transport, stops child processes, and logs it',
    { tags: ['D8.02', 'D8.03', 'D8.04', 'D8.06', 'D8.08'] },
    async () => {
      const log: string[] = [];
      await using server = await startModelServer([reply.text('', { finish: null, done: false, thenSilence: true })]);
      const before = new Set(processTreeOf(process.pid));
      const agent = await agentOn(server, { servers: [DATE_SERVER, EVERYTHING_SERVER], log: (line) => log.push(line) });
      const children = processTreeOf(process.pid).filter((pid) => !before.has(pid));
      expect(children.length).toBeGreaterThanOrEqual(2);
      const run = agent.run('Hi');
      await agent.close();
      expect((await run.result).status).toBe('cancelled');
      expect(children.filter((pid) => isAlive(pid))).toEqual([]);
      expect(log.filter((line) => line.endsWith('disconnected'))).toHaveLength(2);
      expect(() => agent.run('Hi')).toThrow(/closed/);
      await agent.close();
    },
  );
});

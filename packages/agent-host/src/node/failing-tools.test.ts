import { describe, expect, it } from 'vitest';
import type { ServerConfig } from '@toolyard/mcp-host';
import { reply, scriptedMcpCommand, startModelServer } from '@toolyard/testing';
import { agentOn, DATE_SERVER, sentMessages } from './test-fixtures/test-agent.ts';

describe('tools that fail', () => {
  const behaving = (
    behaviour: Parameters<typeof scriptedMcpCommand>[0],
    more: Partial<ServerConfig> = {},
  ): ServerConfig => ({
    id: 'odd',
    transport: { type: 'stdio', ...scriptedMcpCommand(behaviour) },
    ...more,
  });

  it('returns the error of a failing tool to the model', async () => {
    await using server = await startModelServer([
      reply.toolCalls([{ name: 'fail', arguments: {} }]),
      reply.text('Pity.'),
    ]);
    await using agent = await agentOn(server, {
      servers: [behaving({ tools: [{ name: 'fail', does: [{ do: 'fail', text: 'no such table' }] }] })],
      allow: ['odd/fail'],
    });
    const { calls } = await agent.run('Try').result;
    expect(calls[0]?.result).toMatchObject({ isError: true, outcome: 'done' });
    expect(sentMessages(server, 1).at(-1)?.content).toContain('no such table');
  });

  it('times out a tool that never answers, and tells the model not to repeat it', async () => {
    await using server = await startModelServer([
      reply.toolCalls([{ name: 'hang', arguments: {} }]),
      reply.text('Pity.'),
    ]);
    await using agent = await agentOn(server, {
      servers: [behaving({ tools: [{ name: 'hang', does: [{ do: 'never' }] }] }, { callTimeoutMs: 300 })],
      allow: ['odd/hang'],
    });
    const { calls } = await agent.run('Try').result;
    expect(calls[0]?.result).toMatchObject({ outcome: 'unknown', error: { code: 'timed_out' } });
    expect(sentMessages(server, 1).at(-1)?.content).toMatch(/unknown/i);
    expect(sentMessages(server, 1).at(-1)?.content).toMatch(/do not repeat/i);
  });

  it('survives a server that crashes during a call; the other servers continue', async () => {
    await using server = await startModelServer([
      reply.toolCalls([
        { name: 'die', arguments: {} },
        { name: 'get-date', arguments: {} },
      ]),
      reply.text('One of two.'),
    ]);
    await using agent = await agentOn(server, {
      servers: [DATE_SERVER, behaving({ tools: [{ name: 'die', does: [{ do: 'exit' }] }] })],
      allow: ['odd/die'],
    });
    const { calls, text } = await agent.run('Both').result;
    expect(text).toBe('One of two.');
    expect(calls.map(({ result }) => result.outcome)).toEqual(['unknown', 'done']);
    expect(agent.servers.map(({ state }) => state)).toEqual(['ready', 'reconnecting']);
  });
});

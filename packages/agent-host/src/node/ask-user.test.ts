import { describe, expect, it } from 'vitest';
import { systemClock } from '@toolyard/protocol';
import { createModelRuntime } from '@toolyard/model-runtime';
import { eventually, reply, startModelServer } from '@toolyard/testing';
import type { AgentOptions } from '../agent.ts';
import { agentOn, readEvents, sentBody, sentMessages } from './test-fixtures/test-agent.ts';

const ask = { name: 'ask_user', arguments: { question: 'Which?', choices: ['red', 'green'], multiple: true } };

describe('ask_user', () => {
  it('is offered by an in-memory server and returns the answer of the user', async () => {
    await using server = await startModelServer([reply.toolCalls([ask]), reply.text('Painted.')]);
    const asked: unknown[] = [];
    await using agent = await agentOn(server, {
      askUser: (interrupt) => {
        asked.push(interrupt);
        return Promise.resolve({ decision: 'choose', chosen: ['green', 'red'] });
      },
    });
    expect(agent.tools).toMatchObject([{ name: 'ask_user', builtIn: true }]);
    const { calls, text } = await agent.run('Paint it').result;
    expect(asked).toMatchObject([{ kind: 'selection', question: 'Which?', choices: ['red', 'green'] }]);
    expect(calls[0]?.result.content).toEqual([{ type: 'text', text: 'green\nred' }]);
    expect(text).toBe('Painted.');
  });

  it('returns a declined answer if the user cannot be asked', async () => {
    await using server = await startModelServer([reply.toolCalls([ask]), reply.text('Then red.')]);
    await using agent = await agentOn(server, { askUser: () => Promise.reject(new Error('no screen')) });
    const { calls } = await agent.run('Paint it').result;
    expect(calls[0]?.result.content).toMatchObject([{ text: expect.stringContaining('declined') as string }]);
  });

  it('is not offered if no user can be asked', async () => {
    await using server = await startModelServer([reply.text('Hello')]);
    await using agent = await agentOn(server);
    await agent.run('Hi').result;
    expect(sentBody(server, 0)['tools']).toBeUndefined();
  });
});

describe('steer', () => {
  it('adds the message before the next step, after the result of the call', async () => {
    await using server = await startModelServer([reply.toolCalls([ask]), reply.text('Auf Deutsch.')]);
    let answer = (): void => {};
    await using agent = await agentOn(server, {
      askUser: () => new Promise((resolve) => (answer = () => resolve({ decision: 'decline' }))),
    });
    const run = agent.run('Paint it');
    const events = readEvents(run);
    await eventually(() => server.requests.length === 1);
    expect(run.steer('in German')).toBe(true);
    await eventually(() => {
      answer();
      return server.requests.length === 2;
    });
    expect(sentMessages(server, 1).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect((await events).map(({ type }) => type)).toContain('steered');
    await run.result;
    expect(run.steer('too late')).toBe(false);
  });
});

/** A server that continues a partial answer, and the agent's options for it. */
function prefixModel(baseUrl: string): AgentOptions['model'] {
  const quirks = { continuing: 'prefix' as const };
  const runtime = createModelRuntime({ wire: 'openai-chat', baseUrl, fetch, clock: systemClock, quirks });
  return { runtime, id: 'scripted' };
}

describe('continue', () => {
  it('continues in the answer itself after a budget was raised', async () => {
    await using server = await startModelServer([reply.text('One, two,', { finish: 'length' }), reply.text(' three.')]);
    let asked = 0;
    await using agent = await agentOn(server, {
      model: prefixModel(server.url),
      budgets: [{ of: 'conversation', calls: 1 }],
      askBudget: () => {
        asked++;
        return Promise.resolve({ decision: 'raise', limit: 9 });
      },
    });
    await agent.run('Count').result;
    expect((await agent.continue().result).text).toBe('One, two, three.');
    expect(asked).toBe(1);
    expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('continues in the answer itself if the server supports it', async () => {
    await using server = await startModelServer([reply.text('One, two,', { finish: 'length' }), reply.text(' three.')]);
    await using agent = await agentOn(server, { model: prefixModel(server.url) });
    await agent.run('Count').result;
    const { text } = await agent.continue().result;
    expect(text).toBe('One, two, three.');
    expect(sentMessages(server, 1)[1]).toEqual({ role: 'assistant', content: 'One, two,', prefix: true });
    expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('continues in a new message otherwise, and rejects after a complete answer', async () => {
    await using server = await startModelServer([reply.text('One,', { finish: 'length' }), reply.text('two.')]);
    await using agent = await agentOn(server);
    await agent.run('Count').result;
    expect((await agent.continue().result).text).toBe('two.');
    expect(sentMessages(server, 1).map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(() => agent.continue()).toThrow('The last answer is complete');
  });
});

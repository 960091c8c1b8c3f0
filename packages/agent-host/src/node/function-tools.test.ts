import { describe, expect, it } from 'vitest';
import { eventually, reply, startModelServer } from '@toolyard/testing';
import type { ToolContext } from '../functions/tool.ts';
import { tool } from '../functions/tool.ts';
import { agentOn, readEvents, sentBody } from './test-fixtures/test-agent.ts';

const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const readOnly = { readOnly: true, openWorld: false };
const book = (city = 'Bern'): { name: string; arguments: { city: string } } => ({ name: 'book', arguments: { city } });

describe('function tools of an agent', () => {
  it('are executed in the process, with the run they belong to', async () => {
    await using server = await startModelServer([reply.toolCalls([book()]), reply.text('Booked.')]);
    let ctx: ToolContext | undefined;
    const execute = ({ city }: { city: string }, context: ToolContext): { booked: string } => {
      ctx = context;
      context.progress({ progress: 1, total: 2 });
      return { booked: city };
    };
    const booking = tool({ name: 'book', description: 'Books.', inputSchema, annotations: readOnly, execute });
    await using agent = await agentOn(server, { tools: [booking], limits: { maxTurns: 3 } });
    const run = agent.run('Book it');
    const events = readEvents(run);
    const { calls } = await run.result;
    expect(calls).toMatchObject([{ result: { structured: { booked: 'Bern' } } }]);
    const reference = { serverId: 'functions', name: 'book', origin: 'server' };
    expect(agent.messages.at(-2)).toMatchObject({ role: 'tool', tool: reference });
    expect(ctx).toMatchObject({ run: run.id, budget: { turns: 1, limits: { maxTurns: 3 } } });
    expect(ctx?.conversation).toBeTypeOf('string');
    expect(ctx?.user).toBeUndefined();
    expect(await events).toContainEqual(expect.objectContaining({ type: 'tool_progress', progress: 1, total: 2 }));
    expect(sentBody(server, 0)['tools']).toMatchObject([{ function: { name: 'book', parameters: inputSchema } }]);
  });

  it('need approval unless they are read-only and not open-world', async () => {
    await using server = await startModelServer([reply.toolCalls([book()]), reply.text('Not booked.')]);
    let made = 0;
    const options = { name: 'book', description: 'Books.', inputSchema, execute: () => `made ${String(++made)}` };
    await using agent = await agentOn(server, {
      tools: [tool({ ...options, annotations: { readOnly: true, openWorld: true } })],
    });
    const { calls } = await agent.run('Book it').result;
    expect(calls[0]?.result).toMatchObject({ outcome: 'not_sent', error: { code: 'tool_refused' } });
    expect(made).toBe(0);
  });

  it('ask several times in order, and get each answer once', async () => {
    await using server = await startModelServer([reply.toolCalls([book()]), reply.text('Booked.')]);
    const executions: string[] = [];
    const tools = [
      tool({
        name: 'book',
        description: 'Books.',
        inputSchema,
        annotations: readOnly,
        async execute({ city }, { ask }) {
          executions.push(city);
          const day = await ask({ kind: 'prompt', question: 'Which day?' });
          const how = await ask({ kind: 'selection', question: 'How?', choices: ['train', 'ship'] });
          const seat = await ask({
            kind: 'form',
            message: 'Which seat?',
            schema: { type: 'object', properties: { seat: { type: 'string' } } },
          });
          return JSON.stringify([day, how, seat]);
        },
      }),
    ];
    const asked: string[] = [];
    await using agent = await agentOn(server, {
      tools,
      askUser: ({ id, kind }) => {
        asked.push(`${kind} ${id.split('.').slice(2).join('.')}`);
        return Promise.resolve(
          kind === 'prompt' ? { decision: 'say', text: 'Monday' } : { decision: 'choose', chosen: ['ship'] },
        );
      },
      interrupts: { form: () => Promise.resolve({ decision: 'accept', content: { seat: '7A' } }) },
    });
    const { calls } = await agent.run('Book it').result;
    expect(calls[0]?.result.content).toEqual([
      {
        type: 'text',
        text: '[{"decision":"say","text":"Monday"},{"decision":"choose","chosen":["ship"]},{"decision":"accept","content":{"seat":"7A"}}]',
      },
    ]);
    expect(asked).toEqual(['prompt 0.prompt', 'selection 0.selection.1']);
    expect(executions).toHaveLength(4);
  });

  it('get no answer to a different request', async () => {
    await using server = await startModelServer([reply.toolCalls([book()]), reply.text('Odd.')]);
    let count = 0;
    const execute = async (_args: unknown, { ask }: ToolContext): Promise<string> => {
      const answer = await ask({ kind: 'prompt', question: `Delete ${String(++count)}?` });
      return answer.decision;
    };
    const tools = [tool({ name: 'book', description: '', inputSchema, annotations: readOnly, execute })];
    await using agent = await agentOn(server, {
      tools,
      askUser: () => Promise.resolve({ decision: 'say', text: 'yes' }),
    });
    const { calls } = await agent.run('Book it').result;
    expect(calls[0]?.result.error?.message).toContain('asks a different question');
  });

  it('may continue if no user can be asked', async () => {
    await using server = await startModelServer([reply.toolCalls([book(), book('Rome')]), reply.text('Well.')]);
    const execute = async ({ city }: { city: string }, { ask }: ToolContext): Promise<string> => {
      const answer = ask({ kind: 'prompt', question: 'Which day?' });
      return city === 'Bern'
        ? answer.then(
            () => 'never',
            () => 'assumed Monday',
          )
        : (await answer).decision;
    };
    const tools = [tool({ name: 'book', description: '', inputSchema, annotations: readOnly, execute })];
    await using agent = await agentOn(server, { tools });
    const { calls } = await agent.run('Book it').result;
    expect(calls.map(({ result }) => result)).toMatchObject([
      { content: [{ text: 'assumed Monday' }], outcome: 'done' },
      { isError: true, outcome: 'not_sent', error: { code: 'tool_refused' } },
    ]);
  });

  it('end when the run is cancelled, whatever they do with the signal', async () => {
    await using server = await startModelServer([reply.toolCalls([book()])]);
    let signal: AbortSignal | undefined;
    const execute = (_args: unknown, ctx: ToolContext): Promise<never> => {
      signal = ctx.signal;
      return new Promise(() => undefined);
    };
    const tools = [tool({ name: 'book', description: '', inputSchema, annotations: readOnly, execute })];
    await using agent = await agentOn(server, { tools });
    const run = agent.run('Book it');
    await eventually(() => signal !== undefined);
    run.cancel();
    await run.result.catch(() => undefined);
    expect(signal?.aborted).toBe(true);
    expect(agent.messages.at(-1)?.parts[0]).toMatchObject({ result: { outcome: 'unknown' } });
  });

  it('are rejected if two have the same name, or a server has their id', async () => {
    await using server = await startModelServer([]);
    const one = tool({ name: 'book', description: '', inputSchema, execute: () => '' });
    await expect(agentOn(server, { tools: [one, one] })).rejects.toThrow('two function tools named "functions/book"');
    const servers = [{ id: 'functions', transport: { type: 'http' as const, url: 'http://127.0.0.1:1/' } }];
    await expect(agentOn(server, { tools: [one], servers })).rejects.toThrow('functions');
  });
});

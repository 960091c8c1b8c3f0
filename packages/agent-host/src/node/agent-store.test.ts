import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ToolyardError } from '@toolyard/protocol';
import type { ModelServer } from '@toolyard/testing';
import { reply, startModelServer } from '@toolyard/testing';
import type { Agent, AgentOptions } from '../agent.ts';
import type { AgentStore } from '../agent-store.ts';
import type { FunctionTool } from '../functions/tool.ts';
import { tool } from '../functions/tool.ts';
import { createFileStore } from './index.ts';
import { agentOn, readEvents, sentMessages } from './test-fixtures/test-agent.ts';

/** A store in memory; `crash` makes it forget what is saved from then on, as if the process had ended there. */
class MemoryStore implements AgentStore {
  saved: string | null = null;
  #crashed = false;
  load = (): string | null => this.saved;
  save = (text: string): void => void (this.#crashed || (this.saved = text));
  crash = (): void => void (this.#crashed = true);
  restart = (): void => void (this.#crashed = false);
}

/** Tools that count their calls; the store crashes in the call given. */
function countingTools(store: MemoryStore, crashIn: string): { tools: FunctionTool[]; calls: string[] } {
  const calls: string[] = [];
  const inputSchema = { type: 'object', properties: {} } as const;
  const counting = (name: string, readOnly: boolean): FunctionTool =>
    tool({
      name,
      description: name,
      inputSchema,
      annotations: { readOnly, openWorld: false },
      execute: () => {
        calls.push(name);
        if (name === crashIn && calls.filter((each) => each === name).length === 1) store.crash();
        return Promise.resolve(`${name}: done`);
      },
    });
  return { tools: [counting('look', true), counting('pay', false)], calls };
}

/** The agent that a second process would create with the store. */
async function restarted(server: ModelServer, store: MemoryStore, options: Partial<AgentOptions>): Promise<Agent> {
  store.restart();
  const agent = await agentOn(server, { ...options, store });
  onTestFinished(() => agent.close());
  return agent;
}

const allow = ['functions/*'];
const call = (name: string): Parameters<typeof reply.toolCalls>[0] => [{ name, arguments: {} }];

describe('a run that its process did not end', () => {
  it('is resumed after its last step, with its id and its messages', async () => {
    await using server = await startModelServer([
      reply.toolCalls(call('pay')),
      reply.text('Lost.'),
      reply.text('Paid.'),
    ]);
    const store = new MemoryStore();
    const { tools, calls } = countingTools(store, '');
    await using first = await agentOn(server, { store, tools, allow });
    const run = first.run('Pay it.');
    const events = [];
    for await (const event of run) {
      events.push(event);
      if (event.type === 'message_started' && events.some(({ type }) => type === 'tool_finished')) store.crash();
    }
    const second = await restarted(server, store, { tools, allow });
    expect(second.isInterrupted).toBe(true);
    const resumed = second.continue();
    expect(resumed.id).toBe(run.id);
    const [begin, ...rest] = await readEvents(resumed);
    expect(begin).toMatchObject({
      type: 'attempt_abandoned',
      attempt: 1,
      seq: events.findIndex(({ step }) => step === begin?.step) + 1,
    });
    expect(rest[0]).toMatchObject({ type: 'step_started', attempt: 2, step: begin?.step });
    const { text, messages, turns } = await resumed.result;
    expect(text).toBe('Paid.');
    expect(turns).toBe(2);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(calls).toEqual(['pay']);
    expect(sentMessages(server, 2)).toEqual(sentMessages(server, 1));
    expect(second.isInterrupted).toBe(false);
    expect(() => second.continue()).toThrow('nothing to continue');
  });

  it('does not repeat a call with an unknown outcome, and informs the model', async () => {
    await using server = await startModelServer([
      reply.toolCalls(call('pay')),
      reply.text('Lost.'),
      reply.text('I do not know.'),
    ]);
    const store = new MemoryStore();
    const { tools, calls } = countingTools(store, 'pay');
    await using first = await agentOn(server, { store, tools, allow });
    await first.run('Pay it.').result;
    const second = await restarted(server, store, { tools, allow });
    const result = await second.continue().result;
    expect(result.calls).toMatchObject([{ result: { outcome: 'unknown', error: { code: 'outcome_unknown' } } }]);
    expect(calls).toEqual(['pay']);
    expect(JSON.stringify(sentMessages(server, 2).at(-1))).toContain('Do not repeat it');
  });

  it('repeats a read-only call, but none of its batch that was answered', async () => {
    await using server = await startModelServer([
      reply.toolCalls([...call('pay'), ...call('look')]),
      reply.text('Lost.'),
      reply.text('Done.'),
    ]);
    const store = new MemoryStore();
    const { tools, calls } = countingTools(store, 'look');
    await using first = await agentOn(server, { store, tools, allow, limits: { toolConcurrency: 1 } });
    await first.run('Pay it and look.').result;
    const second = await restarted(server, store, { tools, allow });
    const result = await second.continue().result;
    expect(calls).toEqual(['pay', 'look', 'look']);
    expect(result.calls.map((each) => each.result.outcome)).toEqual(['done', 'done']);
  });

  it('can be interrupted again, and is resumed again', async () => {
    await using server = await startModelServer([
      reply.toolCalls(call('pay')),
      ...Array.from({ length: 3 }, () => reply.text('Answer.')),
    ]);
    const store = new MemoryStore();
    const { tools, calls } = countingTools(store, 'pay');
    await using first = await agentOn(server, { store, tools, allow });
    await first.run('Pay it.').result;
    const second = await restarted(server, store, { tools, allow });
    for await (const { type } of second.continue()) if (type === 'tool_finished') store.crash();
    const third = await restarted(server, store, { tools, allow });
    const events = await readEvents(third.continue());
    expect(events.slice(0, 2)).toMatchObject([{ type: 'attempt_abandoned', attempt: 2 }, { attempt: 3 }]);
    expect(calls).toEqual(['pay']);
    expect(third.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  it('is given up by a new message, which the model gets with a valid history', async () => {
    await using server = await startModelServer([
      reply.toolCalls(call('pay')),
      reply.text('Lost.'),
      reply.text('Hello.'),
    ]);
    const store = new MemoryStore();
    const { tools } = countingTools(store, 'pay');
    await using first = await agentOn(server, { store, tools, allow });
    await first.run('Pay it.').result;
    const second = await restarted(server, store, { tools, allow });
    expect((await second.run('Never mind.').result).text).toBe('Hello.');
    expect(second.isInterrupted).toBe(false);
    expect(sentMessages(server, 2).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  });

  it('is given up when the conversation is cleared', async () => {
    await using server = await startModelServer([reply.toolCalls(call('pay')), reply.text('Lost.')]);
    const store = new MemoryStore();
    const { tools } = countingTools(store, 'pay');
    await using first = await agentOn(server, { store, tools, allow });
    await first.run('Pay it.').result;
    const second = await restarted(server, store, { tools, allow });
    second.clear();
    await second.close();
    const third = await restarted(server, store, {});
    expect(third.isInterrupted).toBe(false);
    expect(third.messages).toEqual([]);
  });
});

describe('a conversation in a store', () => {
  it('is continued by the next agent', async () => {
    await using server = await startModelServer([reply.text('One.'), reply.text('Two.')]);
    const store = new MemoryStore();
    await using first = await agentOn(server, { store, instructions: 'Be brief.' });
    await first.run('1').result;
    const second = await restarted(server, store, { instructions: 'Be brief.', messages: [] });
    expect(second.isInterrupted).toBe(false);
    await second.run('2').result;
    expect(sentMessages(server, 1).map(({ content }) => content)).toEqual(['Be brief.', '1', 'One.', '2']);
    expect(second.messages.slice(1, 3)).toEqual(first.messages.slice(1));
  });

  it('fails the run before a call if it cannot be saved', async () => {
    await using server = await startModelServer([reply.toolCalls(call('pay')), reply.text('Not reached.')]);
    const store = new MemoryStore();
    const { tools, calls } = countingTools(store, '');
    const full = new ToolyardError({ code: 'storage_full', message: 'The disk is full.' });
    const isSent = (text: string): boolean => text.includes('"status":"sent"');
    const filling: AgentStore = { load: store.load, save: (text) => (isSent(text) ? Promise.reject(full) : undefined) };
    await using agent = await agentOn(server, { store: filling, tools, allow });
    await expect(agent.run('Pay it.').result).rejects.toMatchObject({ message: 'The disk is full.' });
    expect(calls).toEqual([]);
  });

  it.for([
    ['{', 'JSON'],
    ['[]', 'it has no version'],
    ['{"version":2}', 'version 2, but this Toolyard reads version 1'],
    ['{"version":1}', 'it has no conversationId'],
    ['{"version":1,"conversationId":"c","messages":[{}]}', '"messages.0'],
    ['{"version":1,"conversationId":"c","messages":[],"run":{}}', 'its run has no state'],
    [
      '{"version":1,"conversationId":"c","messages":[],"run":{"point":{"state":{"schemaVersion":99}}}}',
      'version 99, but this Toolyard reads version 1',
    ],
  ])('is rejected if the store returns %s', async ([text = '', problem]) => {
    await using server = await startModelServer([]);
    const creating = agentOn(server, { store: { load: () => text, save: () => undefined } });
    await expect(creating).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining(problem ?? ''),
    });
  });
});

describe('a file as store', () => {
  it('returns what was saved last, and is private', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolyard-store-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'agent.json');
    const store = createFileStore(path);
    expect(await store.load()).toBeNull();
    await store.save('one');
    await store.save('two');
    expect(await createFileStore(path).load()).toBe('two');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect((async () => createFileStore(folder).load())()).rejects.toThrow('EISDIR');
  });
});

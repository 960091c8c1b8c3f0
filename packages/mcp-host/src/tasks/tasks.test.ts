import type { JsonObject, TaskHandle } from '@toolyard/protocol';
import { CONTINUES_ELSEWHERE } from '@toolyard/protocol';
import type { SteadyClock } from '@toolyard/testing';
import { createFakeClock, createSteadyClock, eventually, TaskRegistry } from '@toolyard/testing';
import type { ServedTool } from '@toolyard/testing/task-server';
import { afterEach, describe, expect, test } from 'vitest';
import type { McpHost } from '../host/host.ts';
import { closeOn, connected, everything, healthOf, newHost } from '../node/test-fixtures/peers.ts';
import type { TaskPeer } from '../node/test-fixtures/task-peer.ts';
import { startTaskPeer } from '../node/test-fixtures/task-peer.ts';
import type { QuestionHandlers } from '../questions/questions.ts';
import type { CallToolOptions, Era, ToolProgress } from '../types.ts';

const said = (text: string): JsonObject => ({ content: [{ type: 'text', text }] });
const form = (message: string): { method: string; params: JsonObject } => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
});

/** Opened by a test when the work may go on. */
type Gate = { open: () => void; opened: Promise<void> };

function gate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

let held = gate();
let made = 0;

const tools: ServedTool[] = [
  {
    name: 'compute',
    tasks: 'required',
    work: () => async (task) => {
      made++;
      task.say('half way');
      await held.opened;
      return { ...said('42'), structuredContent: { value: 42 } };
    },
  },
  {
    name: 'optional',
    tasks: 'optional',
    work: () => async () => said('done'),
  },
  {
    name: 'break',
    tasks: 'required',
    work: () => async () => {
      throw Object.assign(new Error('The disk is full.'), { code: -32_603 });
    },
  },
  { name: 'fail', tasks: 'required', work: () => async () => ({ ...said('It rained.'), isError: true }) },
  {
    name: 'who',
    tasks: 'required',
    work: () => async (task) => {
      const { first, second } = await task.ask({ first: form('Who?'), second: form('Who else?') });
      return said(`${nameIn(first)} and ${nameIn(second)}`);
    },
  },
  { name: 'plain', call: () => said('at once') },
];

function nameIn(answer: unknown): string {
  const { action, content } = answer as { action: string; content?: { name?: string } };
  return content?.name ?? action;
}

let host: McpHost | undefined;
let peer: TaskPeer | undefined;
let clock: SteadyClock;

afterEach(async () => {
  held.open();
  await host?.close();
  await peer?.stop();
  held = gate();
  made = 0;
});

const tool = (name: string): { serverId: string; name: string } => ({ serverId: 'tasks', name });

async function meet(era: Era, desk: TaskRegistry, handlers: QuestionHandlers = {}): Promise<McpHost> {
  peer ??= await startTaskPeer(era, desk, tools);
  clock = createSteadyClock();
  host = await connected([{ id: 'tasks', transport: { type: 'http', url: peer.url }, callTimeoutMs: 2_000 }], {
    handlers,
    jitter: () => 1,
    clock,
  });
  expect(healthOf(host, 'tasks').era).toBe(era);
  return host;
}

describe.each(['modern', 'legacy'] as const)('tasks of a %s server', (era) => {
  afterEach(() => {
    peer = undefined;
  });

  test('a call that becomes a task is waited for; its handle is given before, what it says meanwhile', async () => {
    const desk = new TaskRegistry();
    const met = await meet(era, desk);
    const seen: ToolProgress[] = [];
    let handle: TaskHandle | undefined;
    const options: CallToolOptions = {
      onTask: (given) => {
        handle = given;
      },
      onProgress: (progress) => {
        seen.push(progress);
        held.open();
      },
    };
    const result = await met.callTool(tool('compute'), {}, options);
    expect(result).toEqual({
      content: [{ type: 'text', text: '42' }],
      isError: false,
      outcome: 'done',
      structured: { value: 42 },
    });
    expect(handle).toEqual({ tool: tool('compute'), taskId: desk.tasks[0]?.id, era });
    expect(seen).toEqual([{ progress: 1, text: 'half way' }]);
  });

  test('a tool that may be a task is one; a tool that is none is called as ever', async () => {
    const desk = new TaskRegistry();
    const met = await meet(era, desk);
    expect((await met.callTool(tool('optional'), {})).content).toEqual([{ type: 'text', text: 'done' }]);
    expect(desk.tasks).toHaveLength(1);
    expect((await met.callTool(tool('plain'), {})).content).toEqual([{ type: 'text', text: 'at once' }]);
    expect(desk.tasks).toHaveLength(1);
  });

  test('a tool that failed, and a task that broke down, have failed for certain', async () => {
    const met = await meet(era, new TaskRegistry());
    expect(await met.callTool(tool('fail'), {})).toMatchObject({
      isError: true,
      outcome: 'done',
      content: [{ text: 'It rained.' }],
    });
    expect(await met.callTool(tool('break'), {})).toMatchObject({
      isError: true,
      outcome: 'done',
      error: { code: 'tool_failed', message: expect.stringContaining('The disk is full.') as string },
    });
  });

  test('what a task asks is put to its handlers, with the tool it is asked for; other calls go on meanwhile', async () => {
    const asked: string[] = [];
    const met = await meet(era, new TaskRegistry(), {
      form: async ({ message }, question) => {
        asked.push(`${question.tool?.name ?? 'nobody'}: ${message}`);
        await met.callTool(tool('plain'), {});
        return { action: 'accept', content: { name: message === 'Who?' ? 'Ann' : 'Bo' } };
      },
    });
    const result = await met.callTool(tool('who'), {});
    expect(result.content).toEqual([{ type: 'text', text: 'Ann and Bo' }]);
    expect(asked.sort()).toEqual(['who: Who else?', 'who: Who?']);
  });

  test('a person may take longer than the time-out', async () => {
    const met = await meet(era, new TaskRegistry(), {
      form: async () => {
        await clock.passes(1_000);
        return { action: 'decline' };
      },
    });
    const result = await met.callTool(tool('who'), {}, { timeoutMs: 500 });
    expect(result.content).toEqual([{ type: 'text', text: 'decline and decline' }]);
  });

  test('whoever stops the call cancels the task', async () => {
    const desk = new TaskRegistry();
    const met = await meet(era, desk);
    const stopper = new AbortController();
    const running = met.callTool(tool('compute'), {}, { signal: stopper.signal, onTask: () => stopper.abort() });
    expect(await running).toMatchObject({ outcome: 'unknown', error: { code: 'cancelled' } });
    expect(desk.tasks[0]?.status).toBe('cancelled');
  });

  test('handing the call on does not', async () => {
    const desk = new TaskRegistry();
    const met = await meet(era, desk);
    const stopper = new AbortController();
    const onTask = (): void => stopper.abort(CONTINUES_ELSEWHERE);
    expect(await met.callTool(tool('compute'), {}, { signal: stopper.signal, onTask })).toMatchObject({
      outcome: 'unknown',
    });
    expect(desk.tasks[0]?.status).toBe('working');
  });

  test('leaving the server does not: another host gets the result by the handle, and the call is made once', async () => {
    const desk = new TaskRegistry();
    const first = await meet(era, desk);
    const given = gate();
    let handle: TaskHandle | undefined;
    const onTask = (made: TaskHandle): void => {
      handle = made;
      given.open();
    };
    const running = first.callTool(tool('compute'), {}, { onTask });
    await given.opened;
    await first.close();
    expect(await running).toMatchObject({ outcome: 'unknown' });
    expect(desk.tasks[0]?.status).toBe('working');

    const second = await meet(era, desk);
    held.open();
    const stored = JSON.parse(JSON.stringify(handle)) as TaskHandle;
    expect(await second.resumeTask(stored)).toMatchObject({ outcome: 'done', content: [{ text: '42' }] });
    expect(made).toBe(1);
  });

  test('it is waited for where its server takes its time to be there', async () => {
    const desk = new TaskRegistry();
    const { id: taskId } = desk.start(async () => said('long ago'));
    peer = await startTaskPeer(era, desk, tools);
    const isThere = gate();
    peer.answerAfter(isThere.opened);
    const standing = createFakeClock();
    const transport = { type: 'http' as const, url: peer.url };
    const met = newHost([{ id: 'tasks', transport, connectTimeoutMs: 60_000 }], { clock: standing });
    const connecting = met.connectAll();
    const resumed = met.resumeTask({ tool: tool('compute'), taskId, era });
    // Longer than anything else is waited for that asks for a server.
    await standing.advance(25_000);
    isThere.open();
    expect(await resumed).toMatchObject({ outcome: 'done', content: [{ text: 'long ago' }] });
    await connecting;
    await closeOn(standing, met);
  });

  test('a task that is over is answered when asked for, and one that was forgotten is of unknown outcome', async () => {
    const desk = new TaskRegistry();
    const met = await meet(era, desk);
    const { id: taskId } = desk.start(async () => said('long ago'));
    await desk.settled(taskId);
    expect(await met.resumeTask({ tool: tool('compute'), taskId, era })).toMatchObject({
      outcome: 'done',
      content: [{ text: 'long ago' }],
    });
    desk.forget(taskId);
    const gone = await met.resumeTask({ tool: tool('compute'), taskId, era });
    expect(gone).toMatchObject({ isError: true, outcome: 'unknown', error: { code: 'outcome_unknown' } });
    expect(gone.error?.message).toContain('no longer knows the task');
  });

  test('one whose time runs out under way ends in an unknown outcome', async () => {
    const desk = new TaskRegistry({ ttlMs: 100 });
    const met = await meet(era, desk);
    expect(await met.callTool(tool('compute'), {})).toMatchObject({ outcome: 'unknown' });
  });

  test('one the server cancels by itself too, in its own words', async () => {
    const desk = new TaskRegistry();
    const met = await meet(era, desk);
    const running = met.callTool(tool('compute'), {}, { onTask: ({ taskId }) => desk.cancel(taskId) });
    expect(await running).toMatchObject({ outcome: 'unknown', error: { code: 'cancelled' } });
  });

  test('a server that is busy for a moment is asked again', async () => {
    const desk = new TaskRegistry();
    const met = await meet(era, desk);
    const running = met.callTool(tool('compute'), {}, { onTask: () => peer?.refuseWith(503) });
    const asked = (): number => peer?.asked.filter((method) => method === 'tasks/get').length ?? 0;
    await eventually(() => asked() > 0);
    held.open();
    peer?.refuseWith(undefined);
    expect(await running).toMatchObject({ outcome: 'done', content: [{ text: '42' }] });
    expect(made).toBe(1);
  });

  test('one that does not answer any more is given up after the time-out', async () => {
    const met = await meet(era, new TaskRegistry());
    const running = met.callTool(tool('compute'), {}, { timeoutMs: 300, onTask: () => peer?.refuseWith(503) });
    expect(await running).toMatchObject({ outcome: 'unknown', error: { code: 'timed_out' } });
  });

  test('a handle of the other era is of no use', async () => {
    const met = await meet(era, new TaskRegistry());
    const other = era === 'modern' ? 'legacy' : 'modern';
    expect(await met.resumeTask({ tool: tool('compute'), taskId: 'x', era: other })).toMatchObject({
      outcome: 'unknown',
      error: { code: 'outcome_unknown' },
    });
    expect(await met.resumeTask({ tool: { serverId: 'gone', name: 'x' }, taskId: 'x', era })).toMatchObject({
      outcome: 'unknown',
    });
  });
});

test('a session that is lost under a task is opened anew, and the task is found again', async () => {
  const desk = new TaskRegistry();
  const met = await meet('legacy', desk);
  const running = met.callTool(tool('compute'), {}, { onTask: () => peer?.forgetSessions() });
  await eventually(() => peer?.asked.filter((method) => method === 'initialize').length === 2);
  held.open();
  expect(await running).toMatchObject({ outcome: 'done', content: [{ text: '42' }] });
  expect(made).toBe(1);
  peer = undefined;
});

test('the reference server makes a task of its research', async () => {
  host = await connected([
    { id: 'tasks', transport: { type: 'stdio', command: process.execPath, args: [everything] } },
  ]);
  const seen: string[] = [];
  const result = await host.callTool(
    tool('simulate-research-query'),
    { topic: 'tides', ambiguous: false },
    { onProgress: ({ text = '' }) => seen.push(text) },
  );
  expect(result).toMatchObject({ isError: false, outcome: 'done' });
  expect(JSON.stringify(result.content)).toContain('tides');
  expect(seen.length).toBeGreaterThan(1);
});

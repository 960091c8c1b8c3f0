import type { JsonObject, TaskHandle } from '@toolyard/protocol';
import { CONTINUES_ELSEWHERE } from '@toolyard/protocol';
import type { SteadyClock } from '@toolyard/testing';
import { createFakeClock, createSteadyClock, eventually, TaskRegistry } from '@toolyard/testing';
import type { ServedTool } from '@toolyard/testing/task-server';
import { afterEach, describe, expect, test } from 'vitest';
import type { McpHost } from '../host/host.ts';
import { testCall } from '../host/test-call.ts';
import { closeOn, connected, everything, getHealth, newHost } from '../node/test-fixtures/peers.ts';
import type { TaskPeer } from '../node/test-fixtures/task-peer.ts';
import { startTaskPeer } from '../node/test-fixtures/task-peer.ts';
import type { ServerRequestHandlers } from '../server-requests/answer-request.ts';
import type { CallToolOptions, Era, ToolProgress } from '../types.ts';

const textResult = (text: string): JsonObject => ({ content: [{ type: 'text', text }] });
const form = (message: string): { method: string; params: JsonObject } => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
});

/** Opened by a test to let the work continue. */
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
      return { ...textResult('42'), structuredContent: { value: 42 } };
    },
  },
  {
    name: 'optional',
    tasks: 'optional',
    work: () => async () => textResult('done'),
  },
  {
    name: 'break',
    tasks: 'required',
    work: () => async () => {
      throw Object.assign(new Error('The disk is full.'), { code: -32_603 });
    },
  },
  { name: 'fail', tasks: 'required', work: () => async () => ({ ...textResult('It rained.'), isError: true }) },
  {
    name: 'who',
    tasks: 'required',
    work: () => async (task) => {
      const { first, second } = await task.ask({ first: form('Who?'), second: form('Who else?') });
      return textResult(`${nameIn(first)} and ${nameIn(second)}`);
    },
  },
  { name: 'plain', call: () => textResult('at once') },
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

async function connect(era: Era, desk: TaskRegistry, handlers: ServerRequestHandlers = {}): Promise<McpHost> {
  peer ??= await startTaskPeer(era, desk, tools);
  clock = createSteadyClock();
  host = await connected([{ id: 'tasks', transport: { type: 'http', url: peer.url }, callTimeoutMs: 2_000 }], {
    handlers,
    jitter: () => 1,
    clock,
  });
  expect(getHealth(host, 'tasks').era).toBe(era);
  return host;
}

describe.each(['modern', 'legacy'] as const)('tasks of a %s server', (era) => {
  afterEach(() => {
    peer = undefined;
  });

  test('are awaited; the handle is reported first, then their progress', async () => {
    const desk = new TaskRegistry();
    const met = await connect(era, desk);
    const updates: ToolProgress[] = [];
    let handle: TaskHandle | undefined;
    const options: CallToolOptions = {
      onTask: (storedHandle) => {
        handle = storedHandle;
      },
      onProgress: (progress) => {
        updates.push(progress);
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
    expect(updates).toEqual([{ progress: 1, text: 'half way' }]);
  });

  test('are used for tools that support them, and not for others', async () => {
    const desk = new TaskRegistry();
    const met = await connect(era, desk);
    expect((await met.callTool(tool('optional'), {})).content).toEqual([{ type: 'text', text: 'done' }]);
    expect(desk.tasks).toHaveLength(1);
    expect((await met.callTool(tool('plain'), {})).content).toEqual([{ type: 'text', text: 'at once' }]);
    expect(desk.tasks).toHaveLength(1);
  });

  test('are listed with their state; their results are kept, and they can be cancelled', async () => {
    const met = await connect(era, new TaskRegistry());
    const calls = [met.callTool(tool('compute'), {}), met.callTool(tool('compute'), {})];
    const working = await eventually(
      async () => {
        const tasks = await met.tasks('tasks');
        return tasks.length === 2 && tasks.every(({ tool: name }) => name !== undefined) ? tasks : undefined;
      },
      { what: 'two tasks' },
    );
    expect(working).toMatchObject([
      { tool: 'compute', status: 'working' },
      { tool: 'compute', status: 'working' },
    ]);
    const [one, other] = working.map(({ taskId }) => taskId);
    await expect(met.taskResult('tasks', one ?? '')).rejects.toMatchObject({ code: 'conflict' });
    await met.cancelTask('tasks', one ?? '');
    held.open();
    const outcomes = (await Promise.all(calls)).map(({ outcome }) => outcome);
    expect(outcomes.sort()).toEqual(['done', 'unknown']);
    const ended = await met.tasks('tasks');
    expect(ended.find(({ taskId }) => taskId === one)).toMatchObject({ status: 'cancelled' });
    expect(await met.taskResult('tasks', other ?? '')).toMatchObject({ content: [{ text: '42' }], outcome: 'done' });
    await expect(met.taskResult('tasks', 'none')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('are shown by a tested call with the result that ended them', async () => {
    const met = await connect(era, new TaskRegistry());
    held.open();
    const tested = await testCall(met, clock, { tool: tool('compute'), args: {} });
    expect(tested).toMatchObject({ result: { outcome: 'done' }, raw: { structuredContent: { value: 42 } } });
  });

  test('that fail make the call fail for certain', async () => {
    const met = await connect(era, new TaskRegistry());
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

  test('pass their requests to the handlers with the tool; other calls continue meanwhile', async () => {
    const asked: string[] = [];
    const met = await connect(era, new TaskRegistry(), {
      form: async ({ message }, context) => {
        asked.push(`${context.tool?.name ?? 'nobody'}: ${message}`);
        await met.callTool(tool('plain'), {});
        return { action: 'accept', content: { name: message === 'Who?' ? 'Ann' : 'Bo' } };
      },
    });
    const result = await met.callTool(tool('who'), {});
    expect(result.content).toEqual([{ type: 'text', text: 'Ann and Bo' }]);
    expect(asked.sort()).toEqual(['who: Who else?', 'who: Who?']);
  });

  test('wait for a user beyond the timeout', async () => {
    const met = await connect(era, new TaskRegistry(), {
      form: async () => {
        await clock.passes(1_000);
        return { action: 'decline' };
      },
    });
    const result = await met.callTool(tool('who'), {}, { timeoutMs: 500 });
    expect(result.content).toEqual([{ type: 'text', text: 'decline and decline' }]);
  });

  test('are cancelled when the call is aborted', async () => {
    const desk = new TaskRegistry();
    const met = await connect(era, desk);
    const stopper = new AbortController();
    const running = met.callTool(tool('compute'), {}, { signal: stopper.signal, onTask: () => stopper.abort() });
    expect(await running).toMatchObject({ outcome: 'unknown', error: { code: 'cancelled' } });
    expect(desk.tasks[0]?.status).toBe('cancelled');
  });

  test('are not cancelled when the call is handed over', async () => {
    const desk = new TaskRegistry();
    const met = await connect(era, desk);
    const stopper = new AbortController();
    const onTask = (): void => stopper.abort(CONTINUES_ELSEWHERE);
    expect(await met.callTool(tool('compute'), {}, { signal: stopper.signal, onTask })).toMatchObject({
      outcome: 'unknown',
    });
    expect(desk.tasks[0]?.status).toBe('working');
  });

  test('are not cancelled by closing: another host resumes them by handle without repeating the call', async () => {
    const desk = new TaskRegistry();
    const first = await connect(era, desk);
    const storedHandle = gate();
    let handle: TaskHandle | undefined;
    const onTask = (made: TaskHandle): void => {
      handle = made;
      storedHandle.open();
    };
    const running = first.callTool(tool('compute'), {}, { onTask });
    await storedHandle.opened;
    await first.close();
    expect(await running).toMatchObject({ outcome: 'unknown' });
    expect(desk.tasks[0]?.status).toBe('working');

    const second = await connect(era, desk);
    held.open();
    const stored = JSON.parse(JSON.stringify(handle)) as TaskHandle;
    expect(await second.resumeTask(stored)).toMatchObject({ outcome: 'done', content: [{ text: '42' }] });
    expect(made).toBe(1);
  });

  test('are awaited while their server is still starting', async () => {
    const desk = new TaskRegistry();
    const { id: taskId } = desk.start(async () => textResult('long ago'));
    peer = await startTaskPeer(era, desk, tools);
    const arrival = gate();
    peer.answerAfter(arrival.opened);
    const fakeClock = createFakeClock();
    const transport = { type: 'http' as const, url: peer.url };
    const met = newHost([{ id: 'tasks', transport, connectTimeoutMs: 60_000 }], { clock: fakeClock });
    const connecting = met.connectAll();
    const resumed = met.resumeTask({ tool: tool('compute'), taskId, era });
    // Longer than any other wait for a server.
    await fakeClock.advance(25_000);
    arrival.open();
    expect(await resumed).toMatchObject({ outcome: 'done', content: [{ text: 'long ago' }] });
    await connecting;
    await closeOn(fakeClock, met);
  });

  test('return their result after they ended; a forgotten one has an unknown outcome', async () => {
    const desk = new TaskRegistry();
    const met = await connect(era, desk);
    const { id: taskId } = desk.start(async () => textResult('long ago'));
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

  test('that expire end with an unknown outcome', async () => {
    const desk = new TaskRegistry({ ttlMs: 100 });
    const met = await connect(era, desk);
    expect(await met.callTool(tool('compute'), {})).toMatchObject({ outcome: 'unknown' });
  });

  test('cancelled by the server report its message', async () => {
    const desk = new TaskRegistry();
    const met = await connect(era, desk);
    const running = met.callTool(tool('compute'), {}, { onTask: ({ taskId }) => desk.cancel(taskId) });
    expect(await running).toMatchObject({ outcome: 'unknown', error: { code: 'cancelled' } });
  });

  test('are polled again when the server is temporarily busy', async () => {
    const desk = new TaskRegistry();
    const met = await connect(era, desk);
    const running = met.callTool(tool('compute'), {}, { onTask: () => peer?.refuseWith(503) });
    const asked = (): number => peer?.asked.filter((method) => method === 'tasks/get').length ?? 0;
    await eventually(() => asked() > 0);
    held.open();
    peer?.refuseWith(undefined);
    expect(await running).toMatchObject({ outcome: 'done', content: [{ text: '42' }] });
    expect(made).toBe(1);
  });

  test('time out when the server no longer responds', async () => {
    const met = await connect(era, new TaskRegistry());
    const running = met.callTool(tool('compute'), {}, { timeoutMs: 300, onTask: () => peer?.refuseWith(503) });
    expect(await running).toMatchObject({ outcome: 'unknown', error: { code: 'timed_out' } });
  });

  test('cannot be resumed with a handle of the other era', async () => {
    const met = await connect(era, new TaskRegistry());
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

test('survive a lost session', async () => {
  const desk = new TaskRegistry();
  const met = await connect('legacy', desk);
  const running = met.callTool(tool('compute'), {}, { onTask: () => peer?.forgetSessions() });
  await eventually(() => peer?.asked.filter((method) => method === 'initialize').length === 2);
  held.open();
  expect(await running).toMatchObject({ outcome: 'done', content: [{ text: '42' }] });
  expect(made).toBe(1);
  peer = undefined;
});

test('the reference server runs its research tool as a task', async () => {
  host = await connected([
    { id: 'tasks', transport: { type: 'stdio', command: process.execPath, args: [everything] } },
  ]);
  const updates: string[] = [];
  const result = await host.callTool(
    tool('simulate-research-query'),
    { topic: 'tides', ambiguous: false },
    { onProgress: ({ text = '' }) => updates.push(text) },
  );
  expect(result).toMatchObject({ isError: false, outcome: 'done' });
  expect(JSON.stringify(result.content)).toContain('tides');
  expect(updates.length).toBeGreaterThan(1);
});

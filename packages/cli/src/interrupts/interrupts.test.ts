import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStorage } from '@toolyard/storage';
import type { Interrupt, Page, RunRecord, RunSteps, StoredInterrupt } from '@toolyard/protocol';
import type { ModelServer } from '@toolyard/testing';
import { systemClock } from '@toolyard/protocol';
import { eventually, reply, startModelServer } from '@toolyard/testing';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

const DESK = { desk: { tools: [{ name: 'echo', does: [{ do: 'echo' as const }] }] } };

/** A run of a browser tab with this many interrupts: no server resumes it. */
async function askMany(folder: string, count: number): Promise<void> {
  const storage = await openStorage({ folder, clock: systemClock });
  const of = { ownerId: 'owner' };
  await storage.conversations.create(of, { id: 'c', title: '', configuration: {}, at: 1 });
  storage.runs.createRun(of, {
    id: 'r',
    conversationId: 'c',
    place: 'browser',
    at: 1,
    messages: [],
    lease: { owner: 'p', ms: 60_000 },
  });
  const opened = Array.from({ length: count }, (_, at) => ({
    interrupt: askedFor(`r.${at}`),
    mode: 'parked' as const,
  }));
  const item = { runId: 'r', fence: 1, baseSeq: 0, events: [], durability: 'normal' } as const;
  storage.runs.commit([{ ...item, interrupts: { opened }, status: 'parked', release: true }]);
  storage.close();
}

function askedFor(id: string): Interrupt {
  const tool = { serverId: 'desk', name: 'echo' };
  return { id, kind: 'approval', callId: `${id}.call`, tool, name: 'echo', arguments: {} };
}

type Scene = AsyncDisposable & {
  served: Served;
  model: ModelServer;
  run: RunRecord;
  asked: StoredInterrupt[];
  cli: (...args: string[]) => ReturnType<typeof runCommand>;
  over: (runId?: string) => Promise<RunRecord>;
};

/** A run that waits for approval of these tool calls. */
async function waiting(...messages: string[]): Promise<Scene> {
  const model = await startModelServer(({ body }) => {
    const { messages: sent } = body as { messages: { role: string }[] };
    if (sent.at(-1)?.role === 'tool') return reply.text('Done.');
    return reply.toolCalls(messages.map((message) => ({ name: 'echo', arguments: { message } })));
  });
  const served = await Served.start({ model: model.url, mcp: DESK });
  const parts = [{ type: 'text', text: 'Do it\u001b[31m\nmodel:' }];
  const { run } = await served.post<{ run: RunRecord }>('/api/runs', { parts });
  const find = (id: string): Promise<RunRecord> => served.get(`/api/runs/${id}`);
  await eventually(async () => (await find(run.id)).status === 'parked', { what: 'the interrupts' });
  const { items } = await served.get<Page<StoredInterrupt>>('/api/interrupts');
  return {
    served,
    model,
    run,
    asked: items,
    cli: (...args) => runCommand([...args, '--data-dir', served.dataDir]),
    over: (id = run.id) =>
      eventually(async () => ((await find(id)).endedAt === null ? null : find(id)), { what: 'the end of the run' }),
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await model.close();
    },
  };
}

describe('toolyard interrupts', () => {
  it('lists an interrupt and approves it with edited arguments after a server restart', async () => {
    await using scene = await waiting('to everybody \u001b[31m');
    const { served, cli, asked, run } = scene;
    const listed = await cli('interrupts', 'list');
    expect(listed.code, listed.stderr).toBe(0);
    expect(listed.stdout).toContain(asked[0]?.id);
    expect(listed.stdout).toContain('desk/echo');
    expect(listed.stdout).not.toContain('\u001b');
    await served.restart();

    const id = asked[0]?.id ?? '';
    const edited = JSON.stringify({ message: 'to Bert' });
    const answered = await cli('interrupts', 'answer', id, '--approve', '--arguments', edited);
    expect(answered.code, answered.stderr).toBe(0);
    expect(await scene.over()).toMatchObject({ status: 'done' });
    const again = await cli('interrupts', 'answer', id, '--deny', '--json');
    expect(again.code).toBe(1);
    expect(JSON.parse(again.stdout)).toMatchObject([{ id, outcome: 'refused', error: { code: 'conflict' } }]);

    const steps = await cli('runs', 'steps', run.id);
    expect(steps.stdout).toMatch(/echo \{"message":"to Bert"\} \(edited by a user\): done/);
    expect(steps.stdout).toMatch(/asked: approval, approve/);
    expect((await cli('interrupts', 'list')).stderr).toContain('No open interrupts');
  });

  it('answers all interrupts that accept the answer with --all', async () => {
    await using scene = await waiting('one', 'two', 'three');
    const { cli } = scene;
    expect((await cli('interrupts', 'answer', '--all', '--decline')).stderr).toContain('No interrupt was answered');
    const all = await cli('interrupts', 'answer', '--all', '--deny', '--reason', 'not today');
    expect(all.code, all.stderr).toBe(0);
    expect(all.stdout.match(/: refuse$/gm)).toHaveLength(3);
    await scene.over();
    expect(JSON.stringify(scene.model.requests.at(-1)?.body)).toContain('not today');
  });

  it('lists and answers interrupts over several pages', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolyard-many-'));
    const dataDir = join(folder, 'data');
    await askMany(dataDir, 700);
    await using served = await Served.start({ dataDir });
    const cli = (...args: string[]) => runCommand(['interrupts', ...args, '--json', '--data-dir', served.dataDir]);
    const ids = async (...args: string[]): Promise<string[]> =>
      (JSON.parse((await cli('list', ...args)).stdout) as { id: string }[]).map(({ id }) => id);
    const all = await ids();
    expect(new Set(all).size).toBe(700);
    expect(await ids('--limit', '600')).toEqual(all.slice(0, 600));
    const answered = await cli('answer', '--all', '--deny');
    expect(answered.code, answered.stderr).toBe(0);
    expect(JSON.parse(answered.stdout)).toHaveLength(700);
    expect(await ids()).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  });

  it('denies a call and stops its run', async () => {
    await using scene = await waiting('one', 'two');
    const { cli, asked, model } = scene;
    const denied = await cli('interrupts', 'answer', asked[0]?.id ?? '', '--deny', '--stop', '--reason', 'not here');
    expect(denied.code, denied.stderr).toBe(0);
    expect(await scene.over()).toMatchObject({ status: 'cancelled' });
    expect(model.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    expect((await cli('interrupts', 'list')).stderr).toContain('No open interrupts');
  });

  it('rejects an invalid answer and sends none', async () => {
    await using scene = await waiting('one');
    const { cli, asked, served } = scene;
    const id = asked[0]?.id ?? '';
    const wrong = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await cli('interrupts', 'answer', ...args);
      expect(code).not.toBe(0);
      return stderr;
    };
    expect(await wrong(id, '--approve', '--deny')).toContain('more than one answer');
    expect(await wrong('--approve')).toContain('No interrupt was named');
    expect(await wrong(id, '--deny', '--arguments', '{}')).toContain('--arguments requires --approve');
    expect(await wrong(id, '--approve', '--arguments', 'no json')).toContain('Invalid JSON');
    expect(await wrong(id, '--repeat')).toContain('is not valid for this interrupt');
    expect(await wrong(id)).toContain('stdin is not a terminal');
    expect(await wrong('gone', '--approve')).toContain('There is no interrupt gone');
    expect((await served.get<Page<StoredInterrupt>>('/api/interrupts')).items).toHaveLength(1);
  });
});

describe('toolyard runs', () => {
  it('shows the model request of a step, by default of the last one', async () => {
    await using scene = await waiting('one');
    const { cli, run, asked, served } = scene;
    expect((await cli('interrupts', 'answer', asked[0]?.id ?? '', '--approve')).code).toBe(0);
    await scene.over();

    const first = await cli('runs', 'request', run.id, '0');
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toMatch(/^step 0 {2}/);
    // Its text contains no control characters, and cannot imitate the next message.
    expect(first.stdout).toMatch(/\nuser:\n {4}Do it⟨U\+001B⟩\[31m\n {4}model:\n/);
    expect(first.stdout).toMatch(/\d+ tools?:\n(.*\n)* {4}echo/);
    expect(first.stdout).not.toContain('result of');

    const last = await cli('runs', 'request', run.id);
    expect(last.stdout).toMatch(/\nmodel:\n {4}\[echo \{"message":"one"\}\]\n/);
    expect(last.stdout).toMatch(/\nresult of echo:\n {4}\{"message":"one"\}\n/);
    expect(last.stdout).not.toContain('\u001b');
    const json = await cli('runs', 'request', run.id, '--json');
    const { items } = await served.get<RunSteps>(`/api/runs/${run.id}/steps`);
    const step = items.findLast(({ model }) => model?.request)?.step ?? -1;
    expect(JSON.parse(json.stdout)).toEqual(await served.get(`/api/runs/${run.id}/steps/${step}/request`));
    expect(last.stdout).toMatch(new RegExp(`^step ${step} `));

    const wrong = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await cli('runs', 'request', ...args);
      expect(code).toBe(1);
      return stderr;
    };
    expect(await wrong(run.id, '99')).toContain('Step 99 of this run has no model request');
    expect(await wrong(run.id, 'first')).toContain(`toolyard runs steps ${run.id}`);
    expect(await wrong('gone')).toContain('There is no run "gone"');
  });

  it('reports a run without a model request', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolyard-unasked-'));
    const dataDir = join(folder, 'data');
    await askMany(dataDir, 1);
    await using served = await Served.start({ dataDir });
    const { code, stderr } = await runCommand(['runs', 'request', 'r', '--data-dir', served.dataDir]);
    expect(code).toBe(1);
    expect(stderr).toContain('This run made no model request');
    expect(stderr).toContain('toolyard runs steps r');
    rmSync(folder, { recursive: true, force: true });
  });

  it('resumes a cancelled run and exports its steps', async () => {
    await using scene = await waiting('one');
    const { cli, run, served } = scene;
    expect((await cli('runs', 'resume', run.id)).stderr).toContain('waits for the user');
    expect((await cli('runs', 'cancel', run.id)).code).toBe(0);
    await scene.over();
    const resumed = await cli('runs', 'resume', run.id, '--json');
    expect(resumed.code, resumed.stderr).toBe(0);
    const { run: next } = JSON.parse(resumed.stdout) as { run: RunRecord };
    expect(next.id).not.toBe(run.id);
    expect(await scene.over(next.id)).toMatchObject({ status: 'done' });
    expect((await cli('runs', 'list', '--status', 'cancelled')).stdout).toContain(run.id);

    const file = join(served.folder, 'run.json');
    expect((await cli('runs', 'export', next.id, '--output', file)).code).toBe(0);
    const exported = JSON.parse(readFileSync(file, 'utf8')) as RunSteps;
    expect(exported.items.map(({ instruction }) => instruction)).toEqual(['call_llm', 'finish']);
    const text = await cli('runs', 'export', next.id, '--format', 'markdown');
    expect(text.stdout).toContain(`# Run ${next.id}`);
    expect(text.stdout).toContain('Done.');
  });
});

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunStore } from '@toolyard/protocol';
import {
  createFakeClock,
  eventually,
  isStopped,
  programArgs,
  registerProcess,
  runNode,
  within,
} from '@toolyard/testing';
import type { SharedStorage } from '../storage.ts';
import { ANNE, createCommit, deltas, newRun } from '../test-fixtures/conversation.ts';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { placeTestClock, TEST_CLOCK } from '../test-fixtures/postgres-engine.ts';
import { openDatabase } from './open-database.ts';

const STORE_PROCESS = fileURLToPath(new URL('../test-fixtures/store-process.ts', import.meta.url));
const SWARM_PROCESS = fileURLToPath(new URL('../test-fixtures/swarm-process.ts', import.meta.url));

const LEASE_MS = 1_500;
/** Long enough for ten turns of each process, however slow the machine is. */
const SWARM_MS = '600';
const A = { owner: 'a', ms: LEASE_MS };
const B = { owner: 'b', ms: LEASE_MS };

/** The run store in another process. */
type Remote = {
  call<K extends keyof RunStore>(method: K, ...parameters: Parameters<RunStore[K]>): Promise<unknown>;
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the process is suspended. */
  stopped(): Promise<void>;
};

describeOnDatabases('two processes on one PostgreSQL', (cluster) => {
  let url: string;
  let storage: SharedStorage;
  let now = 0;
  let setClock: (ms: number) => Promise<void>;
  const timePasses = (ms: number): Promise<void> => setClock((now += ms));
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    url = await cluster().createDatabase();
    setClock = await placeTestClock(url);
    await timePasses(LEASE_MS);
    storage = await openDatabase({ url, clock: createFakeClock() }, TEST_CLOCK);
    await storage.conversations.create(ANNE, { id: 'c1', title: '', at: 1 });
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await storage.close();
  });

  async function startProcess(...pauseAt: string[]): Promise<Remote> {
    const words = ['--disable-warning=ExperimentalWarning', ...programArgs(STORE_PROCESS), url, ...pauseAt];
    const child = registerProcess(spawn(process.execPath, words, { stdio: 'pipe' }), 'store process');
    children.push(child);
    const lines = createInterface({ input: child.stdout });
    expect(await within(once(lines, 'line'), { what: 'the first line' })).toEqual(['"ready"']);
    return {
      async call(...call) {
        const answer = once(lines, 'line');
        child.stdin.write(`${JSON.stringify(call)}\n`);
        const [line] = (await within(answer, { what: `the answer to ${call[0]}` })) as [string];
        return JSON.parse(line) as unknown;
      },
      signal: (signal) => void child.kill(signal),
      async stopped() {
        await eventually(() => isStopped(child.pid ?? 0), { what: 'SIGSTOP to take effect' });
      },
    };
  }

  const events = (baseSeq: number, more: object = {}) => [
    createCommit('r1', { baseSeq, events: deltas('r1', baseSeq, 1), ...more }),
  ];

  test('a process suspended past its lease is fenced off when it resumes, and another continues from the last commit', async () => {
    const [a, b] = await Promise.all([startProcess(), startProcess()]);
    const { lease: _lease, ...queued } = newRun('r1', 'c1', { state: { step: 3 } });
    await storage.runs.createRun(ANNE, queued);
    expect(await a.call('claimExpired', A, 9)).toMatchObject([{ id: 'r1', fence: 1, state: { step: 3 } }]);
    expect(await a.call('commit', events(0))).toMatchObject([{ outcome: 'committed' }]);
    expect(await b.call('claimExpired', B, 9)).toEqual([]);
    expect(await b.call('acquireLease', 'r1', B)).toBeNull();

    a.signal('SIGSTOP');
    await timePasses(LEASE_MS);
    expect(await b.call('claimExpired', B, 9)).toMatchObject([{ id: 'r1', fence: 2, lastSeq: 1, state: { step: 3 } }]);
    a.signal('SIGCONT');
    expect(await a.call('commit', events(1))).toMatchObject([{ outcome: 'stale', now: { fence: 2, lastSeq: 1 } }]);
    expect(await a.call('renewLeases', A)).toEqual([]);
    expect(await a.call('readInbox', 'r1', 1)).toBeNull();
    expect(await b.call('commit', events(1, { fence: 2 }))).toMatchObject([{ outcome: 'committed', lastSeq: 2 }]);
  });

  test('a renewed lease is not taken over', async () => {
    const a = await startProcess();
    await storage.runs.createRun(ANNE, newRun('r1', 'c1', { lease: A }));
    for (let round = 0; round < 5; round++) {
      await timePasses(LEASE_MS - 1);
      expect(await storage.runs.claimExpired(B, 9)).toEqual([]);
      expect(await a.call('renewLeases', A)).toMatchObject([{ runId: 'r1', fence: 1 }]);
    }
    await timePasses(LEASE_MS);
    expect(await storage.runs.claimExpired(B, 9)).toMatchObject([{ id: 'r1', fence: 2 }]);
  });

  test('a process suspended in the middle of a commit does not block the run and stores nothing', async () => {
    const [a, b] = await Promise.all([startProcess('commit:written'), startProcess()]);
    await storage.runs.createRun(ANNE, newRun('r1', 'c1', { lease: A }));
    // More than tokens, which one statement stores, so that the commit has a middle.
    const plan = { change: 'plan', callId: 'k', tool: { serverId: 's', name: 't' }, arguments: {} } as const;
    const late = a.call('commit', events(0, { ledger: [plan] }));
    await a.stopped();
    await timePasses(LEASE_MS);
    const taken = await eventually(async () => {
      const runs = await b.call('claimExpired', B, 9);
      return Array.isArray(runs) && runs.length > 0 ? runs : null;
    });
    expect(taken).toMatchObject([{ id: 'r1', fence: 2, lastSeq: 0 }]);
    a.signal('SIGCONT');
    expect(await late).toEqual({ problem: 'unreachable' });
    expect(await b.call('commit', events(0, { fence: 2 }))).toMatchObject([{ outcome: 'committed', lastSeq: 1 }]);
    expect(await a.call('commit', events(1))).toMatchObject([{ outcome: 'stale' }]);
  });

  test('an answer during parking is seen by the run or wakes it', async () => {
    const [a, b] = await Promise.all([startProcess(), startProcess()]);
    for (let round = 1; round <= 15; round++) {
      const runId = `r${round}`;
      await storage.conversations.create(ANNE, { id: `c-${runId}`, title: '', at: 1 });
      await storage.runs.createRun(ANNE, newRun(runId, `c-${runId}`, { lease: A }));
      const item = { id: 'x', kind: 'steer', body: null, at: 1 } as const;
      const [parked, put] = await Promise.all([
        a.call('commit', [createCommit(runId, { status: 'parked', release: true })]),
        b.call('putInbox', ANNE, runId, item),
      ]);
      // The later of the two sees the earlier.
      const seen = JSON.stringify(parked).includes('inboxWaits');
      expect(put).toEqual({
        outcome: 'put',
        leaseOwner: seen ? 'a' : null,
        status: seen ? 'running' : 'parked',
      });
    }
  });

  test('two messages sent to one conversation at once start one run', async () => {
    const [a, b] = await Promise.all([startProcess(), startProcess()]);
    for (let round = 1; round <= 10; round++) {
      await storage.conversations.create(ANNE, { id: `x${round}`, title: '', at: 1 });
      const outcomes = await Promise.all(
        [a, b].map((each, index) => each.call('createRun', ANNE, newRun(`r${round}-${index}`, `x${round}`))),
      );
      const names = outcomes.map((outcome) => (outcome as { outcome: string }).outcome).sort();
      expect(names).toEqual(['conversation_busy', 'created']);
    }
  });

  test('three processes that take runs from each other lose nothing and repeat nothing', async () => {
    const runs = Array.from({ length: 12 }, (_none, index) => `r${index}`);
    for (const id of runs) {
      await storage.conversations.create(ANNE, { id: `c-${id}`, title: '', at: 1 });
      const { lease: _lease, ...queued } = newRun(id, `c-${id}`);
      await storage.runs.createRun(ANNE, queued);
    }
    const swarm = ['a', 'b', 'c'].map((name, index) =>
      runNode([
        '--disable-warning=ExperimentalWarning',
        ...programArgs(SWARM_PROCESS),
        url,
        name,
        String(index + 1),
        SWARM_MS,
      ]),
    );
    let over = false;
    void Promise.all(swarm).finally(() => (over = true));
    const put: string[] = [];
    while (!over) {
      for (const runId of runs) {
        const id = `${runId}-${put.length}`;
        // Retried if the connection times out on a busy machine; it counts once.
        await eventually(() => storage.runs.putInbox(ANNE, runId, { id, kind: 'steer', body: null, at: 1 }));
        put.push(id);
      }
      await sleep(50);
    }
    for (const ended of await Promise.all(swarm)) expect(ended).toMatchObject({ code: 0, stderr: '' });

    const took: string[] = [];
    for (const runId of runs) {
      const events = (await storage.runs.readEvents(ANNE, runId, 0, 100_000)) ?? [];
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
      for (const event of events) {
        if (event.type === 'text_delta' && event.text.startsWith('took ')) took.push(event.text.slice(5));
      }
    }
    const pending = await cluster().query(url, 'SELECT id FROM run_inbox WHERE taken_at IS NULL');
    expect(took.length).toBeGreaterThan(0);
    expect([...took, ...pending.map(({ id }) => String(id))].sort()).toEqual(put.toSorted());
    const fences = await cluster().query(url, 'SELECT max(fence) AS fence FROM runs');
    expect(Number(fences[0]?.['fence'])).toBeGreaterThan(1);
    expect(await storage.check()).toEqual({ ok: true });
  });
});

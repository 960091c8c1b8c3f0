import { describe, expect, test } from 'vitest';
import { CONTINUES_ELSEWHERE, ToolyardError } from '@toolyard/protocol';
import type { StreamPart } from '@toolyard/model-runtime';
import type { DurableAccess } from './durable-run.ts';
import { RunLost } from './run-lost.ts';
import { access, answering, callsPay, MemoryRun, paid, PAY, says } from './test-fixtures/memory-run.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const notOpened = (): Promise<DurableAccess> => expect.fail('unexpected open');

describe('DurableRun', () => {
  test('stores user message, calls and answer', async () => {
    const stored = new MemoryRun();
    const open = access(answering(callsPay, says('It is paid.')), () => Promise.resolve(paid));
    expect(await stored.drive(stored.lease(), open)).toEqual({ status: 'done', inboxWaits: false });
    expect(stored.status).toBe('done');
    expect(stored.texts).toEqual(['user: Pay it.', 'assistant: <tool_call>', 'tool: paid', 'assistant: It is paid.']);
    expect([...stored.ledger.values()]).toMatchObject([{ status: 'done' }]);
    expect(stored.events.map(({ seq }) => seq)).toEqual(stored.events.map((_event, index) => index + 1));
  });

  test('stores the result of a fast call together with the call that follows', async () => {
    const stored = new MemoryRun();
    const open = access(answering(callsPay, callsPay, says('Paid twice.')), () => Promise.resolve(paid));
    await stored.drive(stored.lease(), open);
    expect(stored.status).toBe('done');
    // The first events, before each call, and the end.
    expect(stored.commits).toBe(4);
  });

  test('is finished by another process after a crash before any commit, without repeating a call', async () => {
    const whole = new MemoryRun();
    await whole.drive(
      whole.lease(),
      access(answering(callsPay, says('Done.')), () => Promise.resolve(paid)),
    );

    const endings = new Set<string>();
    for (let crashesAt = 1; crashesAt <= whole.commits; crashesAt++) {
      const stored = new MemoryRun();
      let made = 0;
      const pay = (): Promise<typeof paid> => {
        made++;
        return Promise.resolve(paid);
      };
      stored.crashesAt = crashesAt;
      void stored.drive(stored.lease(), access(answering(callsPay, says('Done.')), pay));
      await turns();
      await stored.clock.advance(1_000);
      const wasMade = made;
      stored.crashesAt = Infinity;

      const { turns: asked } = stored.state.point.state;
      const model = answering(...[callsPay, says('Done.')].slice(asked));
      const { status } = await stored.drive(stored.lease(), access(model, pay), { attempt: 2 });
      endings.add(status);
      expect(made, `crash before commit ${crashesAt}`).toBe(status === 'done' ? 1 : wasMade);
      // A call that was sent and has no result is in doubt, whether or not it was made.
      const kinds = [...stored.interrupts.values()].map(({ kind }) => kind);
      expect(kinds, `crash before commit ${crashesAt}`).toEqual(status === 'done' ? [] : ['in_doubt']);
    }
    expect(endings).toEqual(new Set(['done', 'parked']));
  });

  test('loses the usage of at most one model request to a crash, also if nothing between them waits for a commit', async () => {
    const callsUnknown: readonly StreamPart[] = [
      { type: 'tool_call', index: 0, name: 'none', arguments: {}, argumentsText: '{}' },
      { type: 'finish', reason: 'tool_calls' },
    ];
    for (let crashesAt = 1; crashesAt <= 5; crashesAt++) {
      const stored = new MemoryRun();
      stored.crashesAt = crashesAt;
      const model = answering(callsUnknown, callsUnknown, callsUnknown, says('Done.'));
      let requests = 0;
      const counting: typeof model = { ...model, chat: (...args) => (requests++, model.chat(...args)) };
      void stored.drive(
        stored.lease(),
        access(counting, () => Promise.resolve(paid)),
      );
      for (let passed = 0; passed < 20; passed++) {
        await turns();
        await stored.clock.advance(50);
      }
      expect(requests - stored.usage.length, `crash before commit ${crashesAt}`).toBeLessThanOrEqual(1);
    }
  });

  test('stops the model and the tools when its lease is lost, and stores nothing more', async () => {
    const stored = new MemoryRun();
    const run = stored.lease();
    let reason: unknown;
    const pay = ({ signal }: { signal?: AbortSignal }): Promise<typeof paid> => {
      stored.lostAt = 0;
      run.writer.flushed().catch(() => undefined);
      run.writer.used({ kind: 'tool', at: 0, durationMs: 0, tool: PAY, failed: false });
      return new Promise((resolve) => {
        signal?.addEventListener('abort', () => {
          reason = signal.reason;
          resolve({ ...paid, outcome: 'unknown' });
        });
      });
    };
    const driven = stored.drive(run, access(answering(callsPay, says('not reached')), pay));
    await expect(driven).rejects.toMatchObject({ name: 'RunLost', reason: 'stale' });
    expect(run.isLost).toBe(true);
    // Tasks of servers continue: the process that now executes the run polls them.
    expect(reason).toBe(CONTINUES_ELSEWHERE);
    expect(stored.status).toBe('running');
    expect([...stored.ledger.values()]).toMatchObject([{ status: 'sent' }]);
  });

  test('stores nothing after another process has claimed the run', async () => {
    const stored = new MemoryRun();
    const late = stored.lease();
    stored.lease();
    const driven = stored.drive(late, access(answering(says('Too late.')), never));
    await expect(driven).rejects.toBeInstanceOf(RunLost);
    expect(stored.events).toEqual([]);
    expect(stored.texts).toEqual(['user: Pay it.']);
  });

  test('parks with its interrupt, and ends if it was cancelled before it continues', async () => {
    const stored = new MemoryRun();
    const asks = access(answering(callsPay), never, { asks: true });
    expect(await stored.drive(stored.lease(), asks)).toMatchObject({ status: 'parked' });
    expect(stored.status).toBe('parked');
    expect([...stored.interrupts.values()]).toMatchObject([{ kind: 'approval' }]);

    const run = stored.lease();
    run.receive({ stops: true, cancels: ['item'], answers: [], steers: [] });
    const { ending } = run;
    if (!ending) return expect.fail('the run must end');
    // As the process that resumes it does.
    const { state } = stored.state.point;
    stored.state.point = { state: { ...state, status: 'running' }, context: { phase: 'ending', ending } };
    expect(await stored.drive(run, notOpened, { attempt: 2 })).toMatchObject({ status: 'cancelled' });
    expect(stored.texts.at(-1)).toMatch(/^tool: /);
    expect(stored.events.at(-1)).toMatchObject({ type: 'run_finished', status: 'cancelled' });
  });

  test('does not count waiting for the user towards its time limit', async () => {
    const stored = new MemoryRun({ maxWallTimeMs: 5_000 });
    const run = stored.lease();
    let withdrawn = false;
    const open = access(answering(callsPay), async ({ handlers, signal = new AbortController().signal }) => {
      const context = { serverId: 'bank', signal };
      const form = { message: 'Which account?', requestedSchema: { type: 'object', properties: {} } } as const;
      await handlers?.form?.(form, context).catch(() => (withdrawn = true));
      return { ...paid, outcome: 'unknown' };
    });
    const driven = stored.drive(run, open);
    await turns();
    expect([...stored.interrupts.values()]).toMatchObject([{ kind: 'elicitation' }]);
    await stored.clock.advance(60_000);
    expect(run.ending).toBeNull();
    run.receive({ stops: true, cancels: [], answers: [], steers: [] });
    expect(await driven).toMatchObject({ status: 'cancelled' });
    expect(withdrawn).toBe(true);
  });

  test('fails at its time limit, even if the clock was set back', async () => {
    const stored = new MemoryRun({ maxWallTimeMs: 5_000 });
    // The clock was set back after the start of the run.
    stored.state.point.state.startedAt += 1_000_000;
    const slow = access(
      answering(callsPay),
      ({ signal }) =>
        new Promise((resolve) => signal?.addEventListener('abort', () => resolve({ ...paid, outcome: 'unknown' }))),
    );
    const run = stored.lease();
    const driven = stored.drive(run, slow);
    await turns();
    await stored.clock.advance(4_999);
    expect(run.ending).toBeNull();
    await stored.clock.advance(1);
    expect(run.ending).toMatchObject({ status: 'failed' });
    expect(await driven).toMatchObject({ status: 'failed' });
    expect(stored.events.at(-1)).toMatchObject({
      type: 'run_finished',
      status: 'failed',
      error: { code: 'time_limit_exceeded' },
    });
  });

  test('fails if its tools cannot be opened, but not because of a storage error', async () => {
    const gone = new ToolyardError({ code: 'server_unreachable', message: 'The server is gone.' });
    const stored = new MemoryRun();
    const failed = await stored.drive(stored.lease(), () => Promise.reject(gone));
    expect(failed).toMatchObject({ status: 'failed' });
    expect(stored.events.at(-1)).toMatchObject({ type: 'run_finished', error: { code: 'server_unreachable' } });

    const other = new MemoryRun();
    const full = new ToolyardError({ code: 'storage_full', message: 'The disk is full.' });
    await expect(other.drive(other.lease(), () => Promise.reject(full))).rejects.toBe(full);
    expect(other.status).toBe('running');
  });

  test('ends a run with an unreadable state, with what is stored of it', async () => {
    const stored = new MemoryRun();
    const run = stored.lease();
    const placeholder = { id: 'answer', parentId: 'user-message', model: 'scripted-1' };
    await run.fail({ code: 'internal', message: 'It cannot be read.' }, (storedSeq) => {
      expect(storedSeq).toBe(0);
      return Promise.resolve({ stamp: { step: 3, attempt: 2 }, placeholder });
    });
    expect(stored.status).toBe('failed');
    expect(stored.events).toMatchObject([
      { seq: 1, step: 3, attempt: 2, type: 'message_finished', message: { ...placeholder, finishReason: 'error' } },
      { seq: 2, type: 'run_finished', status: 'failed', error: { message: 'It cannot be read.' } },
    ]);
  });
});

import type { Processes } from '@toolyard/storage';
import { createFakeClock, eventually } from '@toolyard/testing';
import { expect, it } from 'vitest';
import { OWNER } from '../http/types.ts';
import { ProcessHeartbeat } from './process-heartbeat.ts';

it('stays away after it has left, even if it leaves during a heartbeat', async () => {
  const clock = createFakeClock();
  let release = (): void => undefined;
  const writes: string[] = [];
  const processes: Processes = {
    heartbeat: async () => {
      writes.push('lives');
      if (writes.length > 1) await new Promise<void>((resolve) => (release = resolve));
      return [];
    },
    remove: async () => void writes.push('has left'),
    listLive: async () => [],
    take: async () => [],
    release: async () => undefined,
    publish: async () => true,
    servers: async () => [],
  };
  const heartbeat = new ProcessHeartbeat({
    processes,
    id: 'p1',
    role: 'worker',
    owner: OWNER,
    clock,
    log: () => undefined,
    mayHave: () => [],
    onHeld: () => undefined,
    onLost: () => undefined,
    describe: () => undefined,
    notify: () => undefined,
    onBeat: () => undefined,
  });
  await heartbeat.start('http://127.0.0.1:1');
  await clock.advance(2_000);
  await eventually(() => writes.length === 2);
  const leaving = heartbeat.leave();
  release();
  await leaving;
  await clock.advance(20_000);
  expect(writes).toEqual(['lives', 'lives', 'has left']);
  expect(clock.pending).toBe(0);
});

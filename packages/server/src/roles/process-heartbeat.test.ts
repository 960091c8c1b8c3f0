import type { Processes } from '@toolyard/storage';
import { createFakeClock, eventually } from '@toolyard/testing';
import { expect, it } from 'vitest';
import { OWNER } from '../http/types.ts';
import { ProcessHeartbeat } from './process-heartbeat.ts';

it('stays away after it has left, even if it leaves during a heartbeat', async () => {
  const clock = createFakeClock();
  let goOn = (): void => undefined;
  const said: string[] = [];
  const processes: Processes = {
    heartbeat: async () => {
      said.push('lives');
      if (said.length > 1) await new Promise<void>((resolve) => (goOn = resolve));
      return [];
    },
    remove: async () => void said.push('has left'),
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
    tell: () => undefined,
    onBeat: () => undefined,
  });
  await heartbeat.start('http://127.0.0.1:1');
  await clock.advance(2_000);
  await eventually(() => said.length === 2);
  const left = heartbeat.leave();
  goOn();
  await left;
  await clock.advance(20_000);
  expect(said).toEqual(['lives', 'lives', 'has left']);
  expect(clock.pending).toBe(0);
});

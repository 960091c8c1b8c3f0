import { stdout } from 'node:process';
import { createFailpoints, killThisProcess } from '@toolyard/testing';
import { systemClock } from '@toolyard/protocol';
import { openStorage } from '../open-storage.ts';
import { ANNE, approval, createCommit, deltas, newRun, reply } from './conversation.ts';

/**
 * A process that executes a run and is killed at a failpoint: `node killed-process.ts <folder> <place> <hit>`. Prints
 * the last seq of each commit once it is confirmed.
 */
const [folder = '', place = '', hit = '1'] = process.argv.slice(2);
const failpoint = createFailpoints();
const storage = await openStorage({ folder, clock: systemClock, failpoint });
await storage.conversations.create(ANNE, { id: 'c1', title: 'Clocks', at: 1 });
failpoint.at(place, killThisProcess, { hit: Number(hit) });

storage.runs.createRun(ANNE, newRun('r1', 'c1', { state: { step: 0 } }));
print('created');
const plan = { change: 'plan', callId: 'k1', tool: { serverId: 's', name: 't' }, arguments: {} } as const;
const send = { change: 'move', callId: 'k1', from: 'planned', to: 'sent' } as const;
const settle = { change: 'move', callId: 'k1', from: 'sent', to: 'done' } as const;
const steps = [
  createCommit('r1', { events: deltas('r1', 0, 3), state: { step: 1 }, ledger: [plan] }),
  createCommit('r1', { baseSeq: 3, events: deltas('r1', 3, 1), state: { step: 2 }, ledger: [send] }),
  createCommit('r1', { baseSeq: 4, events: deltas('r1', 4, 2), state: { step: 3 }, ledger: [settle] }),
  createCommit('r1', {
    baseSeq: 6,
    events: deltas('r1', 6, 2),
    state: { step: 4 },
    messages: [
      { conversationId: 'c1', message: reply('r1.0', { parentId: 'r1.question', runId: 'r1', text: 'Nine.' }) },
    ],
    leaf: { from: 'r1.question', to: 'r1.0' },
    interrupts: { opened: [{ interrupt: approval('i1'), mode: 'parked' }] },
  }),
];
for (const step of steps) {
  const [outcome] = storage.runs.commit([step]);
  print(outcome?.outcome === 'committed' ? String(outcome.lastSeq) : 'refused');
}
print('survived');

function print(line: string): void {
  stdout.write(`${line}\n`);
}

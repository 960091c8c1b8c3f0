import type { OwnerToProbe, ProbeToOwner } from '../harness/probe.ts';
import { startPeer } from '../harness/process.ts';
import type { Measured } from './many.ts';

const WAIT_MS = 10_000;

/** An idle process with the probe; its timer delays are caused by the machine only. */
export function idleProcess(): Measured & AsyncDisposable {
  const peer = startPeer<OwnerToProbe, ProbeToOwner>('run/idle-process.ts');
  return {
    begin: async () => void (await peer.ask('begin', WAIT_MS)),
    async load() {
      const reply = await peer.ask('load', WAIT_MS);
      if (reply.type !== 'load') throw new Error(`the idle process replied ${reply.type}`);
      return reply;
    },
    [Symbol.asyncDispose]: () => peer.end(),
  };
}

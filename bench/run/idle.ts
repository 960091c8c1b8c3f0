import type { OwnerToProbe, ProbeToOwner } from '../support/probe.ts';
import { startPeer } from '../support/process.ts';
import type { Measured } from './many.ts';

const WAIT_MS = 10_000;

/** A process that does nothing but answer the probe: how late its timers are is the machine's doing alone. */
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

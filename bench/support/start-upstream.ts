import type { Peer } from './process.ts';
import { startPeer } from './process.ts';
import type { UpstreamToOwner } from './upstream.ts';

/** The model server of the bench. */
export type Upstream = {
  baseUrl: string;
  /** Processor time of its process since the last question. */
  cpuMs(): Promise<number>;
  end(): Promise<void>;
};

/** The provider all models of the upstream belong to. */
export const PROVIDER = 'upstream';

const ANSWER_MS = 30_000;

export async function startUpstream(): Promise<Upstream> {
  const peer: Peer<string, UpstreamToOwner> = startPeer('support/upstream.ts');
  const listening = await peer.hear(ANSWER_MS);
  if (listening.type !== 'listening') throw new Error('the upstream did not start');
  return {
    baseUrl: `http://127.0.0.1:${String(listening.port)}/v1`,
    async cpuMs() {
      const told = await peer.ask('cpu', ANSWER_MS);
      return told.type === 'cpu' ? told.cpuMs : Number.NaN;
    },
    end: () => peer.end(),
  };
}

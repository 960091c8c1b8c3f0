import type { Peer } from '../support/process.ts';
import { startPeer } from '../support/process.ts';
import type { Options } from './options.ts';
import type { ServerOptions, ServerProcess } from './server.ts';
import { startServer } from './server.ts';
import type { UpstreamToOwner } from './upstream.ts';

/** What every part of the bench works with. */
export type Context = {
  options: Options;
  upstream: Upstream;
  /** What the part does now, for a person who waits. */
  say(text: string): void;
};

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
  const peer: Peer<string, UpstreamToOwner> = startPeer('run/upstream.ts');
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

/** A server of this part alone, with the upstream as its provider. */
export function serve(
  { options, upstream }: Context,
  name: string,
  more: Pick<ServerOptions, 'dataFolder'> & Partial<ServerOptions>,
): Promise<ServerProcess> {
  return startServer({
    providers: { [PROVIDER]: upstream.baseUrl },
    profile: options.profile === null ? null : { folder: options.profile, name },
    ...more,
  });
}

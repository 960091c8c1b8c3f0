import type { Options } from './options.ts';
import type { ServerOptions, ServerProcess } from '../support/server.ts';
import { startServer } from '../support/server.ts';
import type { Upstream } from '../support/start-upstream.ts';
import { PROVIDER } from '../support/start-upstream.ts';

/** What every part of the bench works with. */
export type Context = {
  options: Options;
  upstream: Upstream;
  /** What the part does now, for a person who waits. */
  say: (text: string) => void;
};

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

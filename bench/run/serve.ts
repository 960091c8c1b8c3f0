import type { Bench } from '../harness/bench.ts';
import type { MockModel } from '../mock-model/start.ts';
import { PROVIDER } from '../mock-model/start.ts';
import type { ServerOptions, ServerProcess } from '../harness/server.ts';
import { makeDataFolder, startServer } from '../harness/server.ts';

export type Context = Bench & { mock: MockModel };

/** A server for this part with the mock model, with its own data folder by default. */
export async function serve(
  { options, mock }: Context,
  name: string,
  more: Partial<ServerOptions> = {},
): Promise<ServerProcess & { dataFolder: string }> {
  await using stack = new AsyncDisposableStack();
  const dataFolder = more.dataFolder ?? stack.use(makeDataFolder()).path;
  const server = stack.use(
    await startServer({
      providers: { [PROVIDER]: mock.baseUrl },
      profile: options.profile === null ? null : { folder: options.profile, name },
      ...more,
      dataFolder,
    }),
  );
  const all = stack.move();
  return { ...server, dataFolder, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

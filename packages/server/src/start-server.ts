import { join } from 'node:path';
import { TOKEN_FILE } from './access-token.ts';
import type { ServerOptions } from './config/server-options.ts';
import { resolveOptions } from './config/server-options.ts';
import { ShutdownStack } from './shutdown-stack.ts';
import { createServices } from './start/create-services.ts';
import { openStores } from './start/open-stores.ts';
import type { ServerOverrides } from './start/overrides.ts';
import { serveHttp } from './start/serve-http.ts';

/** A server that accepts requests. */
export type RunningServer = {
  /** URL of the page and the API, without a trailing slash. */
  readonly url: string;
  /** File of the access token if this server created it; null if the token was supplied, or none is required. */
  readonly tokenFile: string | null;
  /** URL of the page with a one-time code that signs a browser in; without a code if no token is required. */
  signInUrl(): Promise<string>;
  /** Lets requests finish, leaves runs for the next start to resume, and releases the data folder. */
  close(): Promise<void>;
  /** While closing, the part it waits for, in one or two words. */
  readonly waitsFor: string | null;
};

/**
 * Opens the data folder, listens, and resumes the runs of the last process.
 *
 * @throws ToolyardError if the options, a file of the data folder, the folder or the port cannot be used; nothing keeps
 * running then.
 */
export async function startServer(options: ServerOptions, overrides: ServerOverrides = {}): Promise<RunningServer> {
  resolveOptions(options);
  await using undo = new AsyncDisposableStack();
  const shutdown = undo.use(new ShutdownStack());
  const stores = await openStores(options, overrides, shutdown);
  const services = await createServices(stores, shutdown);
  const server = await serveHttp(stores, services, shutdown);
  const ending = undo.move();
  let closing: Promise<void> | undefined;
  return {
    url: server.url,
    tokenFile: options.token === undefined ? join(options.dataDir, TOKEN_FILE) : null,
    signInUrl: () => server.signInUrl(),
    close: () => (closing ??= ending.disposeAsync()),
    get waitsFor() {
      return shutdown.now;
    },
  };
}

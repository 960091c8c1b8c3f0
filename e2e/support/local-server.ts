import { fileURLToPath, pathToFileURL } from 'node:url';
import { programPath } from '@toolyard/testing';
import type * as Command from '../../packages/cli/src/main.ts';
import type { ServeInProcess, ServeOptions } from '../../packages/cli/src/test-fixtures/serve-in-process.ts';
import { serveInProcess } from '../../packages/cli/src/test-fixtures/serve-in-process.ts';

const COMMAND = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

/** A `toolyard serve` in the process of the test: its start costs a tenth of that of a process. */
export type LocalServer = ServeInProcess;

/** Loads the bundled command: its thousand source files would take the test runner seconds to load. */
export async function startLocalServer(options: Omit<ServeOptions, 'main'> = {}): Promise<LocalServer> {
  const { main } = (await import(pathToFileURL(programPath(COMMAND)).href)) as typeof Command;
  return serveInProcess({ ...options, main });
}

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundled, COMMAND } from './programs.ts';

/** `npm run toolyard`: the command with these arguments, in this process. */
export async function toolyard(args: readonly string[]): Promise<void> {
  const program = join(await bundled(COMMAND), 'packages/cli/src/bin.js');
  // It finds its arguments where any program does.
  process.argv = [process.execPath, program, ...args];
  await import(pathToFileURL(program).href);
}

if (import.meta.main) await toolyard(process.argv.slice(2));

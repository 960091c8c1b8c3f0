import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundled, COMMAND } from './programs.ts';

/** `npm run toolyard`: the command with these arguments, in this process. */
export async function toolyard(args: readonly string[]): Promise<void> {
  const folder = await bundled(COMMAND).catch((thrown: unknown) => {
    console.error(
      `${thrown instanceof Error ? thrown.message : ''}\ntoolyard: the command could not be bundled; see above.`,
    );
    return null;
  });
  if (folder === null) {
    process.exitCode = 1;
    return;
  }
  const program = join(folder, 'packages/cli/src/bin.js');
  // It finds its arguments where any program does.
  process.argv = [process.execPath, program, ...args];
  await import(pathToFileURL(program).href);
}

if (import.meta.main) await toolyard(process.argv.slice(2));

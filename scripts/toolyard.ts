import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundled, COMMAND } from './programs.ts';

/** `npm run toolyard`: runs the CLI with these arguments in this process. */
export async function toolyard(args: readonly string[]): Promise<void> {
  const folder = await bundled(COMMAND).catch((thrown: unknown) => {
    console.error(
      `${thrown instanceof Error ? thrown.message : ''}\ntoolyard: Cannot bundle the CLI; see the error above.`,
    );
    return null;
  });
  if (folder === null) {
    process.exitCode = 1;
    return;
  }
  const program = join(folder, 'packages/cli/src/bin.js');
  // The program reads its arguments from process.argv.
  process.argv = [process.execPath, program, ...args];
  // What it prints as commands to run must work here, where no `toolyard` is installed.
  process.env['TOOLYARD_COMMAND'] = 'npm run -s toolyard --';
  await import(pathToFileURL(program).href);
}

if (import.meta.main) await toolyard(process.argv.slice(2));

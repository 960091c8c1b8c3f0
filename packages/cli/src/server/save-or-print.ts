import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandIo } from '../command-io.ts';

/** Writes the body of a response to stdout, or to a new file. */
export async function saveOrPrint(io: CommandIo, response: Response, output: string | undefined): Promise<void> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (output === undefined) return void io.stdout.write(bytes);
  writeFileSync(resolve(io.cwd, output), bytes, { flag: 'wx' });
  io.stderr.write(`Wrote ${output}\n`);
}

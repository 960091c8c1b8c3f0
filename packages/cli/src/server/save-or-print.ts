import { writeFileSync } from 'node:fs';

/** What a server sent as a file: to stdout, or to a file that does not exist yet. */
export async function saveOrPrint(response: Response, output: string | undefined): Promise<void> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (output === undefined) return void process.stdout.write(bytes);
  writeFileSync(output, bytes, { flag: 'wx' });
  process.stderr.write(`Written to ${output}\n`);
}

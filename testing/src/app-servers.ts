import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCi } from './npm-install.ts';
import { sharedFolder } from './shared-folder.ts';

const HERE = join(import.meta.dirname, '..', 'apps');
const FILES = ['package.json', 'package-lock.json'];
const SCOPE = '@modelcontextprotocol';

/**
 * The program of an example server of MCP Apps, by the end of its package name (`basic-react`). All of them are
 * installed once per lock file in the temporary folder (245 MB).
 */
export async function appServerProgram(name: string): Promise<string> {
  const lock = readFileSync(join(HERE, 'package-lock.json'));
  const version = createHash('sha256').update(lock).digest('hex').slice(0, 12);
  const folder = await sharedFolder(`apps-${version}`, async (unfinished) => {
    for (const file of FILES) copyFileSync(join(HERE, file), join(unfinished, file));
    await npmCi(unfinished, 'the example servers of MCP Apps');
  });
  return join(folder, 'node_modules', SCOPE, `server-${name}`, 'dist', 'index.js');
}

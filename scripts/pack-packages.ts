import { mkdirSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from './build.ts';
import { packInto } from './pack.ts';

/** `npm run pack -- FOLDER`: builds the packages and writes their tarballs into a folder. */
const folder = process.argv[2];
if (folder === undefined) {
  console.error('Name the folder for the tarballs: npm run pack -- FOLDER');
  process.exitCode = 2;
} else {
  const to = resolve(folder);
  mkdirSync(to, { recursive: true });
  const built = await build({ quiet: true });
  const packed = built.ok ? await packInto(to) : { code: 1, output: built.output };
  if (packed.code === 0)
    console.log(`${to}: ${readdirSync(to).filter((name) => name.endsWith('.tgz')).length} packages`);
  else console.error(packed.output);
  process.exitCode = packed.code;
}

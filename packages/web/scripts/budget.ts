import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Manifest } from './first-load.ts';
import { firstLoad } from './first-load.ts';
import { moduleSizes } from './module-sizes.ts';

/**
 * Measures the size of the script a browser loads before a chat can be used, after `vite build`; fails above the
 * budget. Takes the folder of the SvelteKit build as an optional argument. `--modules` lists the size of each module,
 * after `vite build --sourcemap hidden`.
 */
const BUDGET_KB = 125;

const page = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({ options: { modules: { type: 'boolean' } }, allowPositionals: true });
const client = join(page, positionals[0] ?? '.svelte-kit', 'output', 'client');
const manifest = JSON.parse(readFileSync(join(client, '.vite', 'manifest.json'), 'utf8')) as Manifest;

/**
 * SvelteKit numbers the nodes of its routes; each number is a file that imports its node. The error page is loaded with
 * every route. A new chat and `/c/[id]` are counted together because users move from one to the other.
 */
const isPartOfChat = (key: string) =>
  /\/nodes\/\d+\.js$/.test(key) &&
  /routes\/(\+layout|\+error|\(chat\)\/(\+layout|\+page|c\/\[id\]\/\+page))\./.test(
    readFileSync(join(page, key), 'utf8'),
  );
/** The entry is split in two; the first half fetches the second at once. */
const isStart = (key: string) => /\/client\/(entry|client-entry|payload)\.js$|\/generated\/.*\/app\.js$/.test(key);

const html = readFileSync(join(page, 'build', 'index.html'), 'utf8');
/** What the page itself requests, independent of the files counted here. */
const isNamedInPage = (key: string) => html.includes(manifest[key]?.file ?? key);

const parts = firstLoad(
  manifest,
  Object.keys(manifest).filter((key) => isStart(key) || isPartOfChat(key) || isNamedInPage(key)),
)
  .map(({ file, name }) => ({ name: name ?? file, file, bytes: gzipSync(readFileSync(join(client, file))).length }))
  .sort((a, b) => b.bytes - a.bytes);
const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);

if (values.modules === true) {
  const modules = parts.flatMap(({ file }) => moduleSizes(join(client, file), join(page, '..', '..')));
  if (modules.length === parts.length) throw new Error('No source maps: run `vite build --sourcemap hidden` first.');
  modules.sort((a, b) => b.gzip - a.gzip);
  for (const { module, gzip, bytes } of modules) console.log(`${kb(gzip, 2)} kB ${kb(bytes)} kB minified  ${module}`);
}
for (const { name, file, bytes } of parts) console.log(`${kb(bytes)} kB  ${name} (${file})`);
console.log(`${kb(total)} kB  total, gzipped; the budget is ${String(BUDGET_KB)} kB`);
if (total > BUDGET_KB * 1000) {
  console.error('The first load of the chat route exceeds the budget: load what is not needed at once with import().');
  process.exitCode = 1;
}

function kb(bytes: number, digits = 1): string {
  return (bytes / 1000).toFixed(digits).padStart(8);
}

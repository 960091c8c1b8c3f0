import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Manifest } from './first-load.ts';
import { firstLoad } from './first-load.ts';

/**
 * Weighs the script a browser loads before a chat can be used, after `vite build`. Fails above the budget.
 *
 *     node packages/web/scripts/budget.ts
 */
const BUDGET_KB = 150;

const kit = join(import.meta.dirname, '..', '.svelte-kit');
const client = join(kit, 'output', 'client');
const manifest = JSON.parse(readFileSync(join(client, '.vite', 'manifest.json'), 'utf8')) as Manifest;

const parts = firstLoad(manifest, [...entriesOf(/\/entry\.js$|\/client\/app\.js$/), ...nodesOf(/routes\/(\+layout|\(chat\)\/\+layout|\(chat\)\/\+page)\./)])
  .map(({ file, name }) => ({ name: name ?? file, file, bytes: gzipSync(readFileSync(join(client, file))).length }))
  .sort((a, b) => b.bytes - a.bytes);
const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);

for (const { name, file, bytes } of parts) console.log(`${kb(bytes).padStart(8)} kB  ${name} (${file})`);
console.log(`${kb(total).padStart(8)} kB  in all, gzipped; the budget is ${String(BUDGET_KB)} kB`);
if (total > BUDGET_KB * 1000) {
  console.error('The first load of the chat route is too heavy: load what is not needed at once with import().');
  process.exitCode = 1;
}

function kb(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

function entriesOf(pattern: RegExp): string[] {
  return Object.keys(manifest).filter((key) => pattern.test(key));
}

/** SvelteKit numbers the parts of its routes; each number is a file that imports what it stands for. */
function nodesOf(pattern: RegExp): string[] {
  const folder = join(kit, 'generated', 'build', 'client', 'nodes');
  const nodes = readdirSync(folder).filter((name) => pattern.test(readFileSync(join(folder, name), 'utf8')));
  return nodes.flatMap((name) => entriesOf(new RegExp(`/nodes/${name.replace('.', '\\.')}$`)));
}

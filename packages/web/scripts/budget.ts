import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { isPartOfChat, PAGE, readManifest } from './chat-files.ts';
import { firstLoad, notLate } from './first-load.ts';
import { moduleSizes } from './module-sizes.ts';

/**
 * Measures the size of the script a browser loads before a chat can be used, after `vite build`; fails above the
 * budget, or if a part that few chats need is not in a chunk of its own. Takes the folder of the SvelteKit build as an optional argument. `--modules` lists the size of each module,
 * after `vite build --sourcemap hidden`.
 */
const BUDGET_KB = 125;

/** Loaded with the first message, formula, diagram or frame. */
const LATE = [
  'chat/list/MessageList.svelte',
  'markdown/rich/katex.ts',
  'markdown/rich/mermaid.ts',
  'apps/ToolApp.svelte',
];

const { values, positionals } = parseArgs({ options: { modules: { type: 'boolean' } }, allowPositionals: true });
const client = join(PAGE, positionals[0] ?? '.svelte-kit', 'output', 'client');
const manifest = readManifest(client);

/** The entry is split in two; the first half fetches the second at once. */
const isStart = (key: string) => /\/client\/(entry|client-entry|payload)\.js$|\/generated\/.*\/app\.js$/.test(key);

/** The root layout loads it while the chat begins, also by import(). */
const isStarted = (key: string) => /src\/lib\/(mcp|notifications)\/start\.svelte\.ts$/.test(key);

const html = readFileSync(join(PAGE, 'build', 'index.html'), 'utf8');
/** What the page itself requests, independent of the files counted here. */
const isNamedInPage = (key: string) => html.includes(manifest[key]?.file ?? key);

const first = firstLoad(
  manifest,
  Object.keys(manifest).filter((key) => isStart(key) || isStarted(key) || isPartOfChat(key) || isNamedInPage(key)),
);
const parts = first
  .map(({ file, name }) => ({ name: name ?? file, file, bytes: gzipSync(readFileSync(join(client, file))).length }))
  .sort((a, b) => b.bytes - a.bytes);
const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);

if (values.modules === true) {
  const modules = parts.flatMap(({ file }) => moduleSizes(join(client, file), join(PAGE, '..', '..')));
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
const early = notLate(
  manifest,
  first,
  LATE.map((module) => `src/lib/${module}`),
);
if (early.length > 0) {
  console.error(`Load on demand, with import(): ${early.join(', ')}.`);
  process.exitCode = 1;
}

function kb(bytes: number, digits = 1): string {
  return (bytes / 1000).toFixed(digits).padStart(8);
}

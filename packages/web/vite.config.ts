import { basename } from 'node:path';
import { sveltekit } from '@sveltejs/kit/vite';
import tailwindcss from '@tailwindcss/vite';
import type { Plugin, Rolldown } from 'vite';
import { defaultClientConditions, defaultServerConditions, defineConfig } from 'vite';
import { brandIcons } from './scripts/brand-icons.ts';
import { pageAdapter } from './scripts/page-adapter.ts';
import { frameScripts } from './scripts/frame-scripts.ts';
import { staticIcons } from './scripts/static-icons.ts';
import { VERSION } from '../protocol/src/version.ts';

// Parallel builds (a check beside a running page) need separate folders.
const scratch = process.env['TOOLYARD_WEB_SCRATCH'];

/** The entry. It exports state before it imports the rest, so the two must be separate files. */
const FIRST = /\/client\/entry\.js$/;
/** SvelteKit's own entry: files it finds by name, and its list of all routes, which is a separate file. */
const START = /\/client\/(client-entry|entry|payload)\.js$|\/client-optimized\/app\.js$|\/app-manifest\.js$/;
/** The root layout and the error page. */
const FRAME = /\/src\/routes\/\+(layout|error)\./;
const CHAT = /\/src\/routes\/\(chat\)\//;
/** Loaded by the root layout while the chat begins: what they share with messages must not bring those along. */
const STARTED = /\/src\/lib\/(mcp|notifications)\/start\.svelte\.ts/;
/** The messages of a conversation, loaded right after the composer. */
const MESSAGES = /\/src\/lib\/chat\/list\/MessageList\.svelte/;
const MARKDOWN = /\/src\/lib\/(markdown|smooth)\/|\/node_modules\/(marked|dompurify)\//;

/** Whether a module is imported statically by one of the roots. */
function comesWith(roots: readonly RegExp[], id: string, graph: Rolldown.ChunkingContext): boolean {
  const seen = new Set<string>();
  const wanted = [id];
  for (let one = wanted.pop(); one !== undefined; one = wanted.pop()) {
    if (seen.has(one)) continue;
    seen.add(one);
    if (roots.some((root) => root.test(one))) return true;
    wanted.push(...(graph.getModuleInfo(one)?.importers ?? []));
  }
  return false;
}

/**
 * Three files instead of about fifty: every module shared by two chunks would otherwise become a file of its own, each
 * costing a request that starts only after the previous file was parsed.
 */
const groups: Rolldown.CodeSplittingGroup[] = [
  {
    name: (id, graph) => (!FIRST.test(id) && comesWith([FIRST], id, graph) ? 'first' : null),
    priority: 3,
  },
  {
    name: (id, graph) => (!START.test(id) && comesWith([START, FRAME], id, graph) ? 'start' : null),
    priority: 2,
  },
  // Modules used by the chat only are in the file of its layout.
  {
    name: (id, graph) => (!START.test(id) && comesWith([CHAT, STARTED], id, graph) ? 'shared' : null),
    minShareCount: 2,
    priority: 1,
  },
  // Other parts of the page show Markdown without messages, or texts and values without Markdown.
  {
    name: (id, graph) => {
      if (MESSAGES.test(id) || !comesWith([MESSAGES], id, graph)) return null;
      return MARKDOWN.test(id) ? 'markdown' : 'messages';
    },
    minShareCount: 2,
    priority: 0,
  },
];

/**
 * The server build only writes index.html and reads the options of the routes; `ssr = false` renders no component
 * there. Empty components save compiling all of them, and their imports, a second time.
 */
const EMPTY_SERVER_COMPONENTS: Plugin = {
  name: 'empty-server-components',
  enforce: 'pre',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'ssr',
  load: {
    filter: { id: /\/packages\/web\/src\/.*\.svelte$/ },
    handler: () => '',
  },
};

/** KaTeX offers its fonts in three formats; every browser the page supports reads the first. */
const WOFF2_ONLY: Plugin = {
  name: 'woff2-only',
  enforce: 'pre',
  transform: {
    filter: { id: /\/katex\.min\.css$/ },
    handler: (css) => ({ code: css.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)/g, ''), map: null }),
  },
};

/** The page does not show what the reference says about the settings. */
const WITHOUT_SETTING_HELP: Plugin = {
  name: 'without-setting-help',
  enforce: 'pre',
  transform: {
    filter: { id: /\/packages\/protocol\/src\/settings\.ts$/ },
    handler: (code) => ({ code: code.replace(/\bhelp: '(?:[^'\\]|\\.)*',/g, ''), map: null }),
  },
};

/**
 * The page is a static app: no server rendering, every URL falls back to index.html. Tests of the page run with the
 * root's `npx vitest run packages/web`; vitest.config.ts beside this file compiles runes for them.
 */
export default defineConfig({
  plugins: [
    EMPTY_SERVER_COMPONENTS,
    frameScripts(),
    brandIcons(),
    WOFF2_ONLY,
    WITHOUT_SETTING_HELP,
    staticIcons(),
    tailwindcss(),
    sveltekit({
      adapter: pageAdapter({ pages: scratch ?? 'build', fallback: 'index.html', precompress: scratch === undefined }),
      outDir: scratch === undefined ? '.svelte-kit' : `.svelte-kit/${basename(scratch)}`,
      compilerOptions: { runes: true },
      // An open page learns of a server update from the live stream instead of polling.
      version: { name: VERSION, pollInterval: 0 },
    }),
  ],
  resolve: { conditions: ['toolyard-src', ...defaultClientConditions] },
  // The server half is only built to write index.html. SvelteKit's version of `cookie` differs from that of other
  // packages.
  ssr: {
    noExternal: ['cookie', /^@toolyard\//],
    resolve: { conditions: ['toolyard-src', ...defaultServerConditions] },
  },
  // Sources of the other packages are outside this folder.
  server: { fs: { allow: ['../..'] }, proxy: { '/api': 'http://127.0.0.1:8710', '/props': 'http://127.0.0.1:8710' } },
  build: {
    target: 'es2022',
    // The page may not load fonts from `data:` URLs.
    assetsInlineLimit: (file) => (file.endsWith('.woff2') ? false : undefined),
  },
  // Its modules are split: the worker for code loads each grammar with its first block.
  worker: { format: 'es' },
  environments: { client: { build: { rolldownOptions: { output: { codeSplitting: { groups } } } } } },
});

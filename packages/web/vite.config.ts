import { basename } from 'node:path';
import adapter from '@sveltejs/adapter-static';
import { sveltekit } from '@sveltejs/kit/vite';
import tailwindcss from '@tailwindcss/vite';
import type { Plugin, Rolldown } from 'vite';
import { defaultClientConditions, defaultServerConditions, defineConfig } from 'vite';
import { VERSION } from '../protocol/src/version.ts';

// Several builds side by side (a check beside a running page) need folders of their own.
const scratch = process.env['TOOLYARD_WEB_SCRATCH'];

/** `npm run coverage` maps what ran to the sources; minification would merge statements. */
const COVERAGE = process.env['TOOLYARD_COVERAGE'] !== undefined;

/** What runs first. It tells the rest what the server said, and only then fetches it: the two may not be one file. */
const FIRST = /\/client\/entry\.js$/;
/** SvelteKit's own start: files it finds by their names, and its list of all routes, which has a file of its own. */
const START = /\/client\/(client-entry|entry|payload)\.js$|\/client-optimized\/app\.js$|\/app-manifest\.js$/;
/** What is around every route, and shown where there is none. */
const FRAME = /\/src\/routes\/\+(layout|error)\./;
const CHAT = /\/src\/routes\/\(chat\)\//;

/** Whether something is fetched with one of the roots, and not when it is needed. */
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
 * Three files instead of some fifty: whatever is shared by two parts of the page would otherwise be a file of its own,
 * and each costs a browser and the server a request, found only when the one before has been read.
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
  // What only the chat needs is in the file of its layout.
  {
    name: (id, graph) => (!START.test(id) && comesWith([CHAT], id, graph) ? 'shared' : null),
    minShareCount: 2,
    priority: 1,
  },
];

/**
 * The server build only writes index.html and reads the options of the routes; `ssr = false` renders no component there.
 * Empty components save compiling all of them, and what they import, a second time.
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

/**
 * The page is one static app: no server rendering, every address falls back to index.html. Tests of the page run with
 * the root's `npx vitest run packages/web`; vitest.config.ts beside this file compiles runes for them.
 */
export default defineConfig({
  plugins: [
    EMPTY_SERVER_COMPONENTS,
    tailwindcss(),
    sveltekit({
      adapter: adapter({ pages: scratch ?? 'build', fallback: 'index.html', precompress: scratch === undefined }),
      outDir: scratch === undefined ? '.svelte-kit' : `.svelte-kit/${basename(scratch)}`,
      compilerOptions: { runes: true },
      // A page that is open while the server is renewed learns it from the live stream, not by asking.
      version: { name: VERSION, pollInterval: 0 },
    }),
  ],
  resolve: { conditions: ['toolyard-src', ...defaultClientConditions] },
  // The server half is only built to write index.html. SvelteKit's cookie is not the one other packages brought along.
  ssr: {
    noExternal: ['cookie', /^@toolyard\//],
    resolve: { conditions: ['toolyard-src', ...defaultServerConditions] },
  },
  // Sources of the other rooms lie outside this folder.
  server: { fs: { allow: ['../..'] }, proxy: { '/api': 'http://127.0.0.1:8710', '/props': 'http://127.0.0.1:8710' } },
  build: { target: 'es2022', ...(COVERAGE && { sourcemap: 'hidden', minify: false }) },
  environments: { client: { build: { rolldownOptions: { output: { codeSplitting: { groups } } } } } },
});

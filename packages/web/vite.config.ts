import { basename } from 'node:path';
import adapter from '@sveltejs/adapter-static';
import { sveltekit } from '@sveltejs/kit/vite';
import tailwindcss from '@tailwindcss/vite';
import { defaultClientConditions, defaultServerConditions, defineConfig } from 'vite';
import { VERSION } from '../protocol/src/version.ts';

// Several builds side by side (a check beside a running page) need folders of their own.
const scratch = process.env['TOOLYARD_WEB_SCRATCH'];

/**
 * The page is one static app: no server rendering, every address falls back to index.html. Tests of the page run with
 * the root's `npx vitest run packages/web`; vitest.config.ts beside this file compiles runes for them.
 */
export default defineConfig({
  plugins: [
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
  build: { target: 'es2022' },
});

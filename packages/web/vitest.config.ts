import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defaultClientConditions } from 'vite';
import { defineProject } from 'vitest/config';
import { TIMEOUTS, WORKERS } from '../../scripts/test-workers.ts';

const conditions = ['toolyard-src', ...defaultClientConditions];

/**
 * Rune classes (`*.svelte.ts`) are compiled as for a browser but run in Node, without a document; the browser tests in
 * e2e cover what needs one. A test imports neither `$app/...` nor a component.
 */
export default defineProject({
  plugins: [svelte({ configFile: false })],
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    name: 'page',
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
    // Not inherited from the root: without it there would be a single worker.
    maxWorkers: WORKERS,
    isolate: false,
    ...TIMEOUTS,
    unstubGlobals: true,
    server: { deps: { inline: [/@toolyard/] } },
  },
});

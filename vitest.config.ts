import { defineConfig } from 'vitest/config';
import type { TestKind } from './scripts/test-kinds.ts';
import { getFiles } from './scripts/test-kinds.ts';
import { KindByKind } from './scripts/test-order.ts';
import { TIMEOUTS, WORKERS } from './scripts/test-workers.ts';

/** A worker process keeps the modules it has loaded from file to file of a project. */
function project(name: string, kinds: readonly TestKind[], more: { globalSetup?: string[] } = {}) {
  return {
    test: {
      name,
      ...getFiles(...kinds),
      execArgv: ['--conditions=toolyard-src'],
      // Node imports the sources itself, like users of the packages do: transforming them in Vite costs more.
      experimental: { viteModuleRunner: false, nodeLoader: false },
      isolate: false,
      unstubEnvs: true,
      setupFiles: ['scripts/test-setup.ts'],
      globalSetup: ['scripts/test-programs.ts'],
      ...TIMEOUTS,
      ...more,
    },
  };
}

export default defineConfig({
  test: {
    maxWorkers: WORKERS,
    sequence: { sequencer: KindByKind },
    projects: [
      // One for all that runs in Node only: each project loads the modules it tests again.
      project('node', ['processes', 'packages', 'cli']),
      project('browser', ['browser'], {
        globalSetup: ['e2e/support/require-page.ts', 'scripts/test-programs.ts', 'e2e/support/unpack-browser.ts'],
      }),
      // The page's tests need its compiler: it has a configuration of its own.
      'packages/web',
    ],
  },
});

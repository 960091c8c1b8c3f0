import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/test-order.ts';
import { WORKERS } from './scripts/test-workers.ts';

const conditions = ['toolyard-src'];
const BROWSER_TESTS = 'e2e/{page-*,three-places}.test.ts';
/** They start whole programs, or look at what their own process takes. */
const PROGRAM_TESTS = ['e2e/**/*.test.ts', 'packages/mcp-host/src/resource-bombs.test.ts'];

// Safety nets, never assertions about speed: tests start real processes and sockets, and the machine may be busy.
const PATIENCE = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } };

export default defineConfig({
  test: {
    maxWorkers: WORKERS,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve: { conditions },
        ssr: { resolve: { conditions } },
        test: {
          name: 'rooms',
          include: [
            'packages/*/src/**/*.test.ts',
            'servers/*/src/**/*.test.ts',
            'testing/src/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          // The page's tests need its compiler: they are a project of their own.
          exclude: [...configDefaults.exclude, 'packages/web/**', ...PROGRAM_TESTS],
          globalSetup: 'scripts/test-programs.ts',
          ...PATIENCE,
          execArgv: ['--conditions=toolyard-src'],
          // To start a process and load everything anew for each file took more than most of their tests.
          isolate: false,
          unstubEnvs: true,
        },
      },
      {
        resolve: { conditions },
        ssr: { resolve: { conditions } },
        test: {
          name: 'programs',
          include: PROGRAM_TESTS,
          exclude: [...configDefaults.exclude, BROWSER_TESTS],
          globalSetup: 'scripts/test-programs.ts',
          ...PATIENCE,
          execArgv: ['--conditions=toolyard-src'],
          unstubEnvs: true,
        },
      },
      {
        resolve: { conditions },
        ssr: { resolve: { conditions } },
        test: {
          name: 'browser',
          include: [BROWSER_TESTS],
          globalSetup: ['scripts/test-programs.ts', 'e2e/support/unpack-browser.ts'],
          ...PATIENCE,
          execArgv: ['--conditions=toolyard-src'],
          // A browser beside other tests on two cores may be held up for seconds; a second failure is ours.
          retry: 1,
        },
      },
      'packages/web',
    ],
  },
});

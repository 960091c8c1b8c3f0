import { configDefaults, defineConfig } from 'vitest/config';

const conditions = ['toolyard-src'];

export default defineConfig({
  test: {
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
            'e2e/**/*.test.ts',
          ],
          // The page's tests need its compiler: they are a project of their own.
          exclude: [...configDefaults.exclude, 'packages/web/**'],
          // Tests start real processes and sockets; the limit is a safety net, never an assertion about speed.
          testTimeout: 30_000,
          hookTimeout: 30_000,
          execArgv: ['--conditions=toolyard-src'],
          unstubEnvs: true,
        },
      },
      'packages/web',
    ],
  },
});

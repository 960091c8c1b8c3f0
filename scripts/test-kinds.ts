import { matchesGlob } from 'node:path';

/**
 * The kinds of tests and their files, relative to the repository root. A file belongs to the first kind that matches. See
 * docs/testing.md.
 */
const FILES = {
  /** The page in a real browser. */
  browser: ['e2e/page-*.test.ts', 'e2e/three-locations.test.ts'],
  /** Programs in processes of their own, or tests that look at their own process. */
  processes: ['e2e/**/*.test.ts', 'packages/mcp-host/src/transports/resource-bombs.test.ts'],
  /** Commands, most of them in the process of the test; those of `*.process.test.ts` in their own. */
  cli: ['packages/cli/src/**/*.test.ts'],
  /** Rune classes and functions of the page, without a browser. */
  page: ['packages/web/{src,scripts}/**/*.test.ts'],
  /** Everything else: functions, and packages with real sockets, files and databases. */
  packages: ['{packages,servers}/*/src/**/*.test.ts', '{testing/src,scripts,examples}/**/*.test.ts'],
} as const satisfies Record<string, readonly string[]>;

export type TestKind = keyof typeof FILES;

export const TEST_KINDS = Object.keys(FILES) as readonly TestKind[];

/** Matrices and long runs of any kind: `npm run test:long` runs them, `npm test` does not. */
const LONG = '**/*.long.test.ts';

/** What vitest includes and excludes for some kinds. */
export function getFiles(...kinds: readonly TestKind[]): { include: string[]; exclude: string[] } {
  const isLong = process.env['TOOLYARD_LONG'] === '1';
  const patterns = (of: TestKind): string[] =>
    FILES[of].map((pattern) => (isLong ? pattern.replace(/\.test\.ts$/, '.long.test.ts') : pattern));
  const last = Math.max(...kinds.map((kind) => TEST_KINDS.indexOf(kind)));
  const others = TEST_KINDS.slice(0, last).filter((kind) => !kinds.includes(kind));
  return {
    include: kinds.flatMap(patterns),
    exclude: ['**/node_modules/**', ...others.flatMap(patterns), ...(isLong ? [] : [LONG])],
  };
}

/** @param file relative to the repository root, with `/` */
export function getKind(file: string): TestKind {
  return TEST_KINDS.find((kind) => FILES[kind].some((pattern) => matchesGlob(file, pattern))) ?? 'packages';
}

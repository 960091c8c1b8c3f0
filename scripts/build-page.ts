import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { PAGE as PAGE_FOLDER } from './packages.ts';
import { ROOT, runTool } from './run.ts';

const PAGE = join(ROOT, PAGE_FOLDER);
const STAMP = join(PAGE, 'build', '.toolyard-built');
/** Inputs of the page build. */
const SOURCES = [
  join(PAGE, 'src'),
  join(PAGE, 'static'),
  join(PAGE, 'scripts'),
  join(PAGE, 'vite.config.ts'),
  join(PAGE, 'package.json'),
  // The packages that the page may import, see import-rules.ts.
  ...['protocol', 'mcp-host', 'model-runtime', 'agent-runtime', 'agent-host'].map((name) =>
    join(ROOT, 'packages', name, 'src'),
  ),
  join(ROOT, 'package-lock.json'),
];

/** Nothing that is built imports a test. */
const IS_TEST = /\.test\.ts$|[\\/]test-fixtures[\\/]/;

/** Builds the page if its sources have changed since the last build. Returns the error, or null. */
export async function buildPage(options: { log: (line: string) => void }): Promise<string | null> {
  const stamp = pageFingerprint();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return null;
  options.log('building the page (about ten seconds) ...');
  // A test runner sets NODE_ENV=test, which would produce a larger and slower development build.
  const env = { ...process.env, NODE_ENV: 'production' };
  const built = await runTool('vite/bin/vite.js', ['build'], { cwd: PAGE, quiet: true, env });
  if (built.code !== 0) return built.output;
  mkdirSync(join(PAGE, 'build'), { recursive: true });
  writeFileSync(STAMP, stamp);
  return null;
}

/** Hash of size and modification time of the page's sources and of `more`; takes a few milliseconds. */
export function pageFingerprint(more: readonly string[] = []): string {
  const hash = createHash('sha256');
  for (const path of [...SOURCES.flatMap(filesIn).filter((file) => !IS_TEST.test(file)), ...more.flatMap(filesIn)]) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${relative(ROOT, path)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function filesIn(path: string): string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

if (import.meta.main) {
  const wrong = await buildPage({ log: (line) => console.error(line) });
  if (wrong !== null) console.error(wrong);
  process.exitCode = wrong === null ? 0 : 1;
}

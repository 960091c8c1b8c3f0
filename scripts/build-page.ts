import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { COVERAGE_VARIABLE } from './coverage/record.ts';
import { PAGE as PAGE_FOLDER } from './packages.ts';
import { ROOT, runTool } from './run.ts';

const PAGE = join(ROOT, PAGE_FOLDER);
const STAMP = join(PAGE, 'build', '.toolyard-built');
/** What the page is made of. */
const SOURCES = [
  join(PAGE, 'src'),
  join(PAGE, 'static'),
  join(PAGE, 'vite.config.ts'),
  join(PAGE, 'package.json'),
  // The packages it may import, see imports/rules.ts.
  ...['protocol', 'mcp-host', 'model-runtime', 'agent-runtime', 'agent-host'].map((name) =>
    join(ROOT, 'packages', name, 'src'),
  ),
  join(ROOT, 'package-lock.json'),
];

/** Builds the page where its sources have changed since it was built last; tells what went wrong, null if nothing. */
export async function buildPage(options: { tell: (line: string) => void }): Promise<string | null> {
  const stamp = pageFingerprint();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return null;
  options.tell('building the page (about ten seconds) ...');
  // A test runner says it is a test: the page would be built for developers, larger and slower.
  const env = { ...process.env, NODE_ENV: 'production' };
  const built = await runTool('vite/bin/vite.js', ['build'], { cwd: PAGE, quiet: true, env });
  if (built.code !== 0) return built.output;
  mkdirSync(join(PAGE, 'build'), { recursive: true });
  writeFileSync(STAMP, stamp);
  return null;
}

/** Of the sources of the page and of `more`: sizes and times are enough, and cost a few milliseconds at every start. */
export function pageFingerprint(more: readonly string[] = []): string {
  const hash = createHash('sha256');
  // With it the page is built differently, see its vite.config.ts.
  if (process.env[COVERAGE_VARIABLE] !== undefined) hash.update('coverage\n');
  for (const path of [...SOURCES, ...more].flatMap(filesIn)) {
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
  const wrong = await buildPage({ tell: (line) => console.error(line) });
  if (wrong !== null) console.error(wrong);
  process.exitCode = wrong === null ? 0 : 1;
}

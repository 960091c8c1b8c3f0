import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, runNpm } from './run.ts';

const BENCH = join(ROOT, 'bench');
/** Those that compare Toolyard with packages of others; the rest needs nothing that is not here. */
const WITH_PEERS: readonly string[] = ['loop', 'stream'];
const STAMP = join(BENCH, 'node_modules', '.toolyard-installed');

/** Every file at the top of bench/ is a benchmark. */
function benchmarks(): string[] {
  return readdirSync(BENCH)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.slice(0, -'.ts'.length));
}

/** Installs the peers Toolyard is compared with, once for each state of their lock file. Gives false if that failed. */
async function installPeers(): Promise<boolean> {
  const stamp = createHash('sha256')
    .update(readFileSync(join(BENCH, 'package-lock.json')))
    .digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return true;

  console.error('bench: installing the packages Toolyard is compared with (about half a minute) ...');
  const { code, output } = await runNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: BENCH,
    // stdout belongs to the figures.
    quiet: true,
  });
  if (code !== 0) {
    console.error(`${output}\nbench: the packages could not be installed; the lines above say why.`);
    return false;
  }
  writeFileSync(STAMP, stamp);
  return true;
}

const [name, ...args] = process.argv.slice(2);
const known = benchmarks();
if (name === undefined || !known.includes(name)) {
  const wrong = name === undefined ? '' : `There is no benchmark "${name}". `;
  console.error(`${wrong}npm run bench -- NAME [options], where NAME is one of: ${known.join(', ')}`);
  process.exitCode = 2;
} else if (!WITH_PEERS.includes(name) || (await installPeers())) {
  const file = join(BENCH, `${name}.ts`);
  // In this process, so that whoever ends the bench ends it whole. It finds its arguments where any program does.
  process.argv = [process.execPath, file, ...args];
  await import(pathToFileURL(file).href);
} else {
  process.exitCode = 1;
}

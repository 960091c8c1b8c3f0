import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BENCH, benchmarks, installPeers } from './bench-peers.ts';

/** Those that compare Toolyard with packages of others; the rest needs nothing that is not here. */
const WITH_PEERS: readonly string[] = ['loop', 'stream'];

const [name, ...args] = process.argv.slice(2);
const known = benchmarks();
if (name === undefined || !known.includes(name)) {
  const wrong = name === undefined ? '' : `There is no benchmark "${name}". `;
  console.error(`${wrong}npm run bench -- NAME [options], where NAME is one of: ${known.join(', ')}`);
  process.exitCode = 2;
} else if (!WITH_PEERS.includes(name) || (await installPeers())) {
  const file = join(BENCH, `${name}.ts`);
  // In this process, so that a signal ends the whole benchmark. It finds its arguments where any program does.
  process.argv = [process.execPath, file, ...args];
  await import(pathToFileURL(file).href);
} else {
  process.exitCode = 1;
}

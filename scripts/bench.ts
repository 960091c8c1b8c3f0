import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BENCH, benchmarks, installPeers } from './bench-peers.ts';

/** Benchmarks that need third-party packages to compare with. */
const WITH_PEERS: readonly string[] = ['loop', 'page', 'stream'];

const [name, ...args] = process.argv.slice(2);
const known = benchmarks();
if (name === undefined || !known.includes(name)) {
  const wrong = name === undefined ? '' : `Unknown benchmark "${name}". `;
  console.error(`${wrong}npm run bench -- NAME [options], where NAME is one of: ${known.join(', ')}, peers, figures`);
  process.exitCode = 2;
} else if (!WITH_PEERS.includes(name) || (await installPeers())) {
  const file = join(BENCH, `${name}.ts`);
  // In this process, so that a signal stops the whole benchmark. It reads its arguments from process.argv.
  process.argv = [process.execPath, file, ...args];
  await import(pathToFileURL(file).href);
} else {
  process.exitCode = 1;
}

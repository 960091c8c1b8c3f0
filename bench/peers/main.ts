// `npm run bench -- peers`: tests third-party MCP servers and model servers with this checkout. Not part of `npm test`, because it
// downloads packages.
import { machine, optionsOrExit, say } from '../support/command.ts';
import { BROWSER_PEERS } from './mcp/browser-peers.ts';
import { NPM_PEERS } from './mcp/npm-peers.ts';
import type { Peer } from './mcp/peer.ts';
import { PYTHON_PEERS } from './mcp/python-peers.ts';
import { openStage } from './mcp/stage.ts';
import { notTried, tryPeer } from './mcp/try-peer.ts';
import { tryModelServers } from './models/try-model-servers.ts';
import type { Options } from './options.ts';
import { readOptions, USAGE } from './options.ts';
import type { Python } from './python.ts';
import { preparePython } from './python.ts';
import { writeReport } from './report.ts';
import { merged, readResults, writeResults } from './results.ts';

/** In the order of the report. */
const PEERS: readonly Peer[] = [...NPM_PEERS, ...BROWSER_PEERS, ...PYTHON_PEERS];

async function tryMcpServers(python: Python | string, { names, fresh }: Options): Promise<void> {
  const peers = PEERS.filter(({ id }) => names.length === 0 || names.includes(id));
  await using stage = await openStage(peers, python);
  for (const [at, peer] of peers.entries()) {
    say(`${at + 1}/${peers.length} ${peer.id}: ${peer.package} ...`);
    const results = readResults();
    const before = results.mcp.find(({ id }) => id === peer.id);
    const row =
      peer.from === 'PyPI' && typeof python === 'string'
        ? notTried(peer, python)
        : await tryPeer(peer, stage.of(peer), { fresh, before });
    writeResults({ ...results, mcp: merged(results.mcp, [row], ({ id }) => id) });
    say(
      `    ${row.call.tool}: ${row.call.outcome} ${row.call.detail} (${row.firstMs ?? '-'} ms, ${row.againMs ?? '-'} ms)`,
    );
  }
}

async function main(options: Options): Promise<number> {
  const unknown = options.names.find((name) => !PEERS.some(({ id }) => id === name));
  if (unknown !== undefined) {
    say(`There is no peer "${unknown}"; there are ${PEERS.map(({ id }) => id).join(', ')}.`);
    return 2;
  }
  say(machine());
  const python = await preparePython();
  if (typeof python === 'string') say(`peers: ${python}; what needs it is left out`);
  if (options.only.includes('mcp')) await tryMcpServers(python, options);
  if (options.only.includes('models') && options.names.length === 0) {
    const results = readResults();
    writeResults({ ...results, models: await tryModelServers(python) });
  }
  const problems = writeReport(
    readResults(),
    PEERS.map(({ id }) => id),
  );
  for (const problem of problems) say(`peers: ${problem}`);
  return problems.length === 0 ? 0 : 1;
}

process.exit(await main(optionsOrExit(readOptions, USAGE)));

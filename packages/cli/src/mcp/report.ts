import type { McpPhase, McpTestReport } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';
import { columns } from '../models/columns.ts';
import { plainLine, shownLine } from '../sanitize.ts';
import { pluralize, printLine, printTable } from '../output.ts';

const TOOLS_SHOWN = 20;
const FINDINGS_SHOWN = 40;
const LOG_LINES_SHOWN = 15;

const PHASES: Record<McpPhase, string> = {
  transport_creating: 'starting',
  transport_ready: 'started',
  initializing: 'initializing',
  capabilities_exchanged: 'exchanging capabilities',
  listing: 'listing',
  connected: 'connected',
  error: 'failed',
  disconnected: 'disconnected',
};

/** Prints the report of `toolyard mcp test`. Returns 1 if the connection failed. */
export function printReport(io: CommandIo, report: McpTestReport): number {
  const { ok, transport, durationMs, phases, error } = report;
  const where = transport.type === 'stdio' ? transport.command : transport.url;
  printLine(io, `${ok ? 'Connected' : 'Not connected'} over ${transport.type} (${where}) in ${durationMs} ms`);
  for (const { phase, durationMs: ms } of phases) {
    if (ms > 0) printLine(io, `  ${PHASES[phase].padEnd(24)} ${String(ms).padStart(6)} ms`);
  }
  if (error !== undefined) printLine(io, `\n${error.message}`);
  if (error?.hint !== undefined) printLine(io, `  ${error.hint}`);
  if (ok) printServer(io, report);
  printFindings(io, report);
  if (!ok) printLog(io, report);
  return ok ? EXIT.done : EXIT.failed;
}

function printServer(io: CommandIo, report: McpTestReport): void {
  const { serverInfo, era, protocolVersion, capabilities, instructions, offers, tokens, tools } = report;
  const names = Object.entries(capabilities ?? {}).flatMap(([name, isSupported]) => (isSupported ? [name] : []));
  const rows = [
    ['Server', serverInfo === undefined ? 'unnamed' : `${serverInfo.title ?? serverInfo.name} ${serverInfo.version}`],
    [
      'Protocol',
      `${protocolVersion ?? 'unknown'} (${era === 'modern' ? 'modern, stateless' : 'legacy, with initialize'})`,
    ],
    ['Capabilities', names.length === 0 ? 'tools only' : names.join(', ')],
    ['Offers', describeOffers(offers)],
    ['Cost', `about ${pluralize(tokens, 'token')} in every request, for ${pluralize(offers.tools, 'tool')}`],
    ...(instructions === undefined ? [] : [['Instructions', shownLine(instructions, 160)]]),
  ];
  printLine(io, '');
  printTable(io, rows);
  if (tools.length === 0) return;
  printLine(io, '');
  const shown = tools.slice(0, TOOLS_SHOWN);
  const toolRows = shown.map((tool) => [tool.name, `${tool.tokens} tokens`, tool.readOnly ? 'read-only' : '']);
  for (const line of columns(toolRows)) printLine(io, `  ${line}`);
  if (tools.length > shown.length) printLine(io, `  and ${tools.length - shown.length} more with fewer tokens`);
}

function describeOffers({ tools, resources, templates, prompts }: McpTestReport['offers']): string {
  const parts = [pluralize(tools, 'tool')];
  if (resources !== undefined) parts.push(pluralize(resources, 'resource'), pluralize(templates ?? 0, 'template'));
  if (prompts !== undefined) parts.push(pluralize(prompts, 'prompt'));
  return parts.join(', ');
}

function printFindings(io: CommandIo, { findings, ok }: McpTestReport): void {
  if (findings.length === 0) {
    if (ok) printLine(io, '\nNo problems found.');
    return;
  }
  printLine(io, '');
  for (const { level, about, text } of findings.slice(0, FINDINGS_SHOWN)) {
    printLine(
      io,
      `${level === 'warning' ? '!' : '-'} ${about === undefined ? '' : `${shownLine(about, 80)}: `}${shownLine(text, 500)}`,
    );
  }
  if (findings.length > FINDINGS_SHOWN)
    printLine(io, `and ${findings.length - FINDINGS_SHOWN} more; --json prints all`);
}

function printLog(io: CommandIo, { log }: McpTestReport): void {
  if (log.length === 0) return;
  printLine(io, '\nLog:');
  for (const { level, text } of log.slice(-LOG_LINES_SHOWN))
    printLine(io, `  ${level.padEnd(7)} ${plainLine(text, 300)}`);
}

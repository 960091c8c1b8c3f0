// What the MCP host costs beside the bare SDK, and how it holds with many servers and many tools. JSON lines on stdout,
// a table for people on stderr.
import { loadNow, machine, optionsOrExit, say } from './support/command.ts';
import type { Finding } from './support/finding.ts';
import { table } from './support/finding.ts';
import type { Options, Part } from './mcp/options.ts';
import { readOptions, USAGE } from './mcp/options.ts';

type Measure = (options: Options) => Promise<Finding[]>;

const MEASURES: Readonly<Record<Part, () => Promise<Measure>>> = {
  calls: async () => (await import('./mcp/calls.ts')).measureCalls,
  concurrent: async () => (await import('./mcp/concurrent.ts')).measureConcurrent,
  slow: async () => (await import('./mcp/slow.ts')).measureSlow,
  tools: async () => (await import('./mcp/tools.ts')).measureTools,
  starting: async () => (await import('./mcp/starting.ts')).measureStarting,
  closing: async () => (await import('./mcp/closing.ts')).measureClosing,
};

async function main(options: Options): Promise<Finding[]> {
  say(`${machine()}; ${loadNow()}`);
  const findings: Finding[] = [];
  for (const part of options.only) {
    const measure = await MEASURES[part]();
    const found = await measure(options);
    for (const finding of found) process.stdout.write(`${JSON.stringify({ bench: 'mcp', ...finding })}\n`);
    findings.push(...found);
    say(`${part} is measured; ${loadNow()}`);
  }
  return findings;
}

say(`\n${table(await main(optionsOrExit(readOptions, USAGE)))}`);
// Connections kept open would keep the process too.
process.exit();

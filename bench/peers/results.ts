import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { RESULTS } from './folders.ts';

/** The call of an MCP server: `passed` means that the content of its result was checked. */
type CallOutcome = { tool: string; outcome: 'passed' | 'failed' | 'not possible'; detail: string };

export type McpRow = {
  id: string;
  /** With its version, as the entry names it. */
  package: string;
  date: string;
  /** Milliseconds until the server is ready: with the download, and again. Null: not measured, or it failed. */
  firstMs: number | null;
  againMs: number | null;
  tools: number;
  resources: number;
  prompts: number;
  /** What its entry sets beyond `"sandbox": {}`. */
  settings: string;
  /** `yes`, or why not. */
  sandboxed: string;
  call: CallOutcome;
  /** Processes that carry the marker of this server after it was closed; null where that cannot be found out. */
  processesLeft: number | null;
  /** What the sandbox refused, as Toolyard shows it. */
  blocked: readonly string[];
};

export type ModelRow = {
  /** `llama.cpp` or `LiteLLM`, with its version. */
  server: string;
  check: string;
  date: string;
  passed: boolean;
  detail: string;
};

export type Results = { mcp: McpRow[]; models: ModelRow[] };

export function readResults(): Results {
  try {
    return JSON.parse(readFileSync(RESULTS, 'utf8')) as Results;
  } catch {
    return { mcp: [], models: [] };
  }
}

export function writeResults(results: Results): void {
  mkdirSync(dirname(RESULTS), { recursive: true });
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
}

/** The list with these rows in place of those of the same key. */
export function merged<Row>(rows: readonly Row[], newer: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const keys = new Set(newer.map(keyOf));
  return [...rows.filter((row) => !keys.has(keyOf(row))), ...newer];
}

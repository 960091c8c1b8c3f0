import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { RESULTS } from './folders.ts';

/** Result of a tool call. `passed`: the content was checked. */
type CallOutcome = { tool: string; outcome: 'passed' | 'failed' | 'not possible'; detail: string };

export type McpRow = {
  id: string;
  /** Package with version, as in the entry. */
  package: string;
  date: string;
  /** Milliseconds until the server is ready, with and without download. Null: not measured, or failed. */
  firstMs: number | null;
  againMs: number | null;
  tools: number;
  resources: number;
  prompts: number;
  /** Settings of its entry besides `"sandbox": {}`. */
  settings: string;
  /** `yes`, or the reason. */
  sandboxed: string;
  call: CallOutcome;
  /** Processes of this server after closing; null if unknown. */
  processesLeft: number | null;
  /** Sandbox violations, as Toolyard shows them. */
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

/** Replaces rows with the same key. */
export function merged<Row>(rows: readonly Row[], newer: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const keys = new Set(newer.map(keyOf));
  return [...rows.filter((row) => !keys.has(keyOf(row))), ...newer];
}

import type { EditMcpServer, JsonObject, JsonValue } from '@toolyard/protocol';
import { MAX_CONCURRENT_CALLS } from '@toolyard/protocol';

/** Timeouts and concurrency of a server. Absent: the default. */
export type ServerLimits = Pick<
  EditMcpServer,
  'callTimeoutMs' | 'connectTimeoutMs' | 'processes' | 'maxConcurrentCalls'
>;

/** A limit with an invalid value. `value`: as JSON, truncated. */
export type LimitProblem = { kind: 'limit'; part: keyof ServerLimits; value: string };

/** The ranges of the form fields. */
export const TIMEOUT_MS = { min: 1_000, max: 86_400_000 };

/** Reads the limits of an entry of an `mcp.json`; `null` means the default. */
export function readLimits(entry: JsonObject): ServerLimits | LimitProblem {
  const limits: ServerLimits = {};
  for (const part of ['callTimeoutMs', 'connectTimeoutMs'] as const) {
    const value = entry[part] ?? undefined;
    if (value === undefined) continue;
    if (!isWhole(value, TIMEOUT_MS)) return createProblem(part, value);
    limits[part] = value;
  }
  const { processes, maxConcurrentCalls } = entry;
  if (processes !== undefined && processes !== null) {
    if (processes !== 'auto' && processes !== 'one') return createProblem('processes', processes);
    limits.processes = processes;
  }
  if (maxConcurrentCalls !== undefined && maxConcurrentCalls !== null) {
    if (!isWhole(maxConcurrentCalls, { min: 1, max: MAX_CONCURRENT_CALLS })) {
      return createProblem('maxConcurrentCalls', maxConcurrentCalls);
    }
    limits.maxConcurrentCalls = maxConcurrentCalls;
  }
  return limits;
}

function isWhole(value: JsonValue, { min, max }: { min: number; max: number }): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

function createProblem(part: LimitProblem['part'], value: JsonValue): LimitProblem {
  return { kind: 'limit', part, value: JSON.stringify(value).slice(0, 40) };
}

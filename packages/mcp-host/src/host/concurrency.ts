import type { JsonValue } from '@toolyard/protocol';
import { MAX_CONCURRENT_CALLS } from '@toolyard/protocol';
import type { ServerConfig } from '../types.ts';
import { createConfigError } from '../values/config-error.ts';

type Entry = { processes?: JsonValue | undefined; maxConcurrentCalls?: JsonValue | undefined };

type Concurrency = Pick<ServerConfig, 'processes' | 'maxConcurrentCalls'>;

const MAX_SHOWN_LENGTH = 40;

/**
 * Reads the concurrency limits of an entry.
 *
 * @param where names the entry in messages
 * @throws ToolyardError `bad_config` for an invalid value
 */
export function readConcurrency(entry: Entry, where: string): Concurrency {
  const { processes, maxConcurrentCalls } = entry;
  if (processes !== undefined && !isProcesses(processes)) {
    throw createConfigError(
      `${where}: "processes" must be "auto" or "one" (got ${shown(processes)}).`,
      'With "one" the server has one connection. With "auto", the default, each conversation gets its own connection if the server sends requests to users.',
    );
  }
  if (maxConcurrentCalls !== undefined && !isCount(maxConcurrentCalls)) {
    throw createConfigError(
      `${where}: "maxConcurrentCalls" must be an integer from 1 to ${MAX_CONCURRENT_CALLS} (got ${shown(maxConcurrentCalls)}).`,
      'Omit it if the server accepts any number of concurrent calls.',
    );
  }
  return validConcurrency(entry);
}

/** The same without invalid values. */
export function validConcurrency({ processes, maxConcurrentCalls }: Entry): Concurrency {
  return {
    ...(isProcesses(processes) ? { processes } : {}),
    ...(isCount(maxConcurrentCalls) ? { maxConcurrentCalls } : {}),
  };
}

function isProcesses(value: JsonValue | undefined): value is 'auto' | 'one' {
  return value === 'auto' || value === 'one';
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_CONCURRENT_CALLS;
}

function shown(value: JsonValue): string {
  return JSON.stringify(value).slice(0, MAX_SHOWN_LENGTH);
}

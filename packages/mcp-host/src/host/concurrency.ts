import type { JsonValue } from '@toolyard/protocol';
import { MAX_CONCURRENT_CALLS, ToolyardError } from '@toolyard/protocol';
import type { ServerConfig } from '../types.ts';

type Entry = { processes?: JsonValue | undefined; maxConcurrentCalls?: JsonValue | undefined };

type Concurrency = Pick<ServerConfig, 'processes' | 'maxConcurrentCalls'>;

const LONGEST_SHOWN = 40;

/**
 * What an entry says about calls at the same time.
 *
 * @param where names the entry, for the message
 * @throws ToolyardError `bad_config` for a value that says nothing
 */
export function readConcurrency(entry: Entry, where: string): Concurrency {
  const { processes, maxConcurrentCalls } = entry;
  if (processes !== undefined && !isProcesses(processes)) {
    throw bad(
      `${where}: "processes" must be "auto" or "one" (got ${shown(processes)}).`,
      'With "one" the server has one connection; "auto", the default, gives conversations connections of their own where the server asks.',
    );
  }
  if (maxConcurrentCalls !== undefined && !isCount(maxConcurrentCalls)) {
    throw bad(
      `${where}: "maxConcurrentCalls" must be a whole number from 1 to ${MAX_CONCURRENT_CALLS} (got ${shown(maxConcurrentCalls)}).`,
      'Leave it out where the server takes any number of calls at once.',
    );
  }
  return validConcurrency(entry);
}

/** The same without what is not valid. */
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
  return JSON.stringify(value).slice(0, LONGEST_SHOWN);
}

function bad(message: string, hint: string): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message, hint });
}

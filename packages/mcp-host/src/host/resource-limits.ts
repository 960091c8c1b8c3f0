import type { JsonValue, McpResourceLimits, TranslatableText } from '@toolyard/protocol';
import { isJsonObject, say } from '@toolyard/protocol';
import { createConfigError } from '../values/config-error.ts';

/** The limits of one sandboxed process tree, complete. */
export type ResourceLimits = Required<McpResourceLimits>;

/**
 * The rule: **no sandboxed program can take the machine from its user.** Everything that is limited, and the default,
 * which browsers and language servers stay below.
 */
export function resourceLimits(given: McpResourceLimits | undefined, cores: number): ResourceLimits {
  return {
    memoryMb: 4_096,
    processes: 512,
    cpuCores: Math.max(1, cores - 1),
    writtenMb: 10_240,
    fileMb: 2_048,
    ...given,
  };
}

/** The limits that stop a process tree. */
type StoppingLimit = Exclude<keyof ResourceLimits, 'cpuCores'>;

/** What a stopped program did, after "it". */
export function explainLimit({ limit, value }: { limit: StoppingLimit; value: number }): TranslatableText {
  switch (limit) {
    case 'memoryMb':
      return say`used more than its limit of ${value} MB of memory`;
    case 'processes':
      return say`started more than its limit of ${value} processes`;
    case 'writtenMb':
      return say`wrote more than its limit of ${value} MB to disk within five minutes`;
    case 'fileMb':
      return say`wrote a file larger than its limit of ${value} MB`;
  }
}

const KEYS: readonly (keyof ResourceLimits)[] = ['memoryMb', 'processes', 'cpuCores', 'writtenMb', 'fileMb'];
const MAX = 1_000_000_000;

/** Reads `"sandbox.limits"` of an entry. @throws ToolyardError `bad_config` beginning with `where` */
export function readLimits(value: JsonValue, where: string): McpResourceLimits {
  if (!isJsonObject(value)) throw createConfigError(`${where}: "sandbox.limits" must be an object.`);
  const limits: McpResourceLimits = {};
  for (const [name, limit] of Object.entries(value)) {
    const key = KEYS.find((each) => each === name);
    if (key === undefined) {
      throw createConfigError(
        `${where}: "sandbox.limits" has an unknown key ${JSON.stringify(name.slice(0, 80))}.`,
        `Known keys: ${KEYS.join(', ')}.`,
      );
    }
    if (typeof limit !== 'number' || !(limit >= 1 && limit <= MAX)) {
      const shown = JSON.stringify(limit).slice(0, 80);
      throw createConfigError(`${where}: "sandbox.limits.${key}" must be a number from 1 to ${MAX} (got ${shown}).`);
    }
    limits[key] = limit;
  }
  return limits;
}

import type { JsonValue } from '@toolyard/protocol';

/** The name of a call, by its arguments. */
export function callName(args: JsonValue | undefined): string {
  return JSON.stringify(args ?? null);
}

import type { AgentConfiguration, JsonObject } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { agentConfiguration } from '@toolyard/protocol/schemas';

const SAYS_RULES: ReadonlySet<string> = new Set<keyof AgentConfiguration>(['interventionRules', 'lostRules']);

/**
 * Reads a configuration stored by any version: fields that cannot be read are dropped. If a rule was lost, it may have
 * forbidden a call, so every call needs approval and stored permissions do not apply.
 */
export function readStoredConfiguration(stored: unknown): AgentConfiguration {
  const rest: JsonObject = isJsonObject(stored) ? structuredClone(stored) : {};
  let hasLostRules = false;
  for (;;) {
    const read = agentConfiguration.safeParse(rest);
    if (read.success) {
      if (!hasLostRules) return read.data;
      const intervention = read.data.intervention === 'headless' ? 'headless' : 'manual';
      return { ...read.data, intervention, lostRules: true };
    }
    hasLostRules ||= read.error.issues.some(({ path: [field] }) => SAYS_RULES.has(String(field)));
    for (const issue of read.error.issues) {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
      for (const key of keys) takeOut(rest, key === undefined ? issue.path : [...issue.path, key]);
    }
  }
}

/** Removes the value at a path; if a property is missing or part of a list, the whole field it belongs to. */
function takeOut(configuration: JsonObject, [field, key, ...deeper]: readonly PropertyKey[]): void {
  const of = configuration[String(field)];
  if (key !== undefined && deeper.length === 0 && isJsonObject(of) && String(key) in of) delete of[String(key)];
  else delete configuration[String(field)];
}

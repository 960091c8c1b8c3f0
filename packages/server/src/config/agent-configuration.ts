import type { AgentConfiguration, JsonObject } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { agentConfiguration } from '@toolyard/protocol/schemas';

const SAYS_RULES: ReadonlySet<string> = new Set<keyof AgentConfiguration>(['interventionRules', 'lostRules']);

/**
 * What was stored at some time, by whatever version: what cannot be read counts as not said. Where that is a rule,
 * nothing runs by itself any more, and nothing that was allowed before: it might be the one that forbids.
 */
export function readStoredConfiguration(stored: unknown): AgentConfiguration {
  const rest: JsonObject = isJsonObject(stored) ? withBudgetOfRun(stored) : {};
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

/** What a run might cost stood among its limits once. */
export function withBudgetOfRun(configuration: JsonObject): JsonObject {
  const rest: JsonObject = structuredClone(configuration);
  const { limits } = rest;
  if (!isJsonObject(limits) || !('maxCost' in limits)) return rest;
  const { maxCost: dollars, ...others } = limits;
  const { budgets = [] } = rest;
  const isSet = Array.isArray(budgets) && budgets.some((each) => isJsonObject(each) && each['of'] === 'run');
  const added =
    Array.isArray(budgets) && !isSet && dollars !== undefined ? [...budgets, { of: 'run', dollars }] : budgets;
  return { ...rest, limits: others, budgets: added };
}

/** Takes out what stands at a path, or, where it lacks something or is in a list, the whole field it is part of. */
function takeOut(configuration: JsonObject, [field, key, ...deeper]: readonly PropertyKey[]): void {
  const of = configuration[String(field)];
  if (key !== undefined && deeper.length === 0 && isJsonObject(of) && String(key) in of) delete of[String(key)];
  else delete configuration[String(field)];
}

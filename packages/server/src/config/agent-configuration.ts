import { faultsOfRules } from '@toolyard/agent-runtime';
import type { AgentConfiguration, JsonObject } from '@toolyard/protocol';
import { faultsOfBudgets, isJsonObject } from '@toolyard/protocol';
import { z } from 'zod';
import { settingFields } from './setting-fields.ts';

const interventionRule = z.strictObject({
  decision: z.enum(['allow', 'ask', 'never']),
  tool: z.string().exactOptional(),
  argument: z.string().exactOptional(),
  command: z.string().exactOptional(),
  outside: z.string().exactOptional(),
  inside: z.string().exactOptional(),
  readOnly: z.boolean().exactOptional(),
  destructive: z.boolean().exactOptional(),
});

export const interventionRules = z.array(interventionRule).superRefine((rules, context) => {
  for (const { rule, field, problem } of faultsOfRules(rules)) {
    context.addIssue({ code: 'custom', message: problem, path: field === undefined ? [rule] : [rule, field] });
  }
});

export const examples = z.array(z.strictObject({ question: z.string(), answer: z.string() })).max(50);

const limits = {
  dollars: z.number().positive('a budget is above zero').exactOptional(),
  tokens: z.int().positive('a budget is above zero').exactOptional(),
  calls: z.int().positive('a budget is above zero').exactOptional(),
};
const ofPair = z.string().regex(/^[^/]+\/./, 'expected two names with a slash between them');

/** One that can be read. */
export const budget = z.discriminatedUnion('of', [
  z.strictObject({ of: z.enum(['turn', 'run', 'conversation', 'agent', 'day']), ...limits }),
  z.strictObject({ of: z.literal('model'), model: ofPair, ...limits }),
  z.strictObject({ of: z.literal('tool'), tool: ofPair, ...limits }),
]);

export const budgets = z.array(budget).superRefine((list, context) => {
  for (const { at, problem } of faultsOfBudgets(list)) {
    context.addIssue({ code: 'custom', message: problem, path: [at] });
  }
});

/** The configuration as the API and the configuration file accept it: unknown or invalid values are reported. */
export const agentConfigurationSchema = z.strictObject({
  model: z.strictObject({ providerId: z.string().min(1), modelId: z.string().min(1) }).exactOptional(),
  ...settingFields(''),
  parameters: z.strictObject(settingFields('parameters')).exactOptional(),
  limits: z.strictObject(settingFields('limits')).exactOptional(),
  servers: z.record(z.string(), z.boolean()).exactOptional(),
  disabledTools: z.array(z.string()).exactOptional(),
  examples: examples.exactOptional(),
  interventionRules: interventionRules.exactOptional(),
  lostRules: z.literal(true).exactOptional(),
  budgets: budgets.exactOptional(),
}) satisfies z.ZodType<AgentConfiguration>;

const SAYS_RULES: ReadonlySet<string> = new Set<keyof AgentConfiguration>(['interventionRules', 'lostRules']);

/**
 * What was stored at some time, by whatever version: what cannot be read counts as not said. Where that is a rule,
 * nothing runs by itself any more, and nothing that was allowed before: it might be the one that forbids.
 */
export function readStoredConfiguration(stored: unknown): AgentConfiguration {
  const rest: JsonObject = isJsonObject(stored) ? withBudgetOfRun(stored) : {};
  let hasLostRules = false;
  for (;;) {
    const read = agentConfigurationSchema.safeParse(rest);
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

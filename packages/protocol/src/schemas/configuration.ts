import { z } from 'zod';
import type { JsonValue } from '../json.ts';
import { faultsOfBudgets } from '../budget-faults.ts';
import { faultsOfRules } from '../intervention-rules.ts';
import { agentReference, jsonValue, modelFields, named, namedObject, price } from './common.ts';
import { resolvedFields, settingFields } from './setting-fields.ts';

const interventionRule = z.strictObject({
  decision: z.enum(['allow', 'ask', 'never']),
  /** `server/tool` */
  tool: z.string().exactOptional(),
  /** Any argument value, at any depth and under any name. */
  argument: z.string().exactOptional(),
  /** A shell command, its words separated by single spaces: `git status*`. */
  command: z.string().exactOptional(),
  /** The host of a URL: `example.com`, `*.example.com`. A rule that allows matches if all texts are URLs of such hosts. */
  host: z.string().exactOptional(),
  /** A path outside this folder. Not in rules that allow. */
  outside: z.string().exactOptional(),
  /** All paths are in this folder, and at least one is absolute. Only in rules that allow. */
  inside: z.string().exactOptional(),
  /**
   * Annotations of the tool's server. Of a server that is not trusted only `readOnly: false` and `destructive: true`
   * match.
   */
  readOnly: z.boolean().exactOptional(),
  destructive: z.boolean().exactOptional(),
});
/**
 * What to do with calls that match all fields. Of several matching rules the strictest wins. `*` matches any
 * characters, `?` one. A rule that allows must match the whole call: every text, every command, every path; any other
 * rule matches if a part of the call does.
 */
export type InterventionRule = z.output<typeof interventionRule>;

export const interventionRules = z.array(interventionRule).superRefine((rules, context) => {
  for (const { rule, field, problem } of faultsOfRules(rules)) {
    context.addIssue({ code: 'custom', message: problem, path: field === undefined ? [rule] : [rule, field] });
  }
});

export const examples = z.array(z.strictObject({ question: z.string(), answer: z.string() })).max(50);
/** A user message and the answer the operator would like to it. */
export type ConversationExample = NonNullable<AgentConfiguration['examples']>[number];

/** Amounts of a budget. */
export const budgetAmounts = {
  dollars: z.number().positive('a budget must be above zero').exactOptional(),
  tokens: z.int().positive('a budget must be above zero').exactOptional(),
  calls: z.int().positive('a budget must be above zero').exactOptional(),
};
const ofPair = z.string().regex(/^[^/]+\/./, 'expected two names with a slash between them');

/** A budget of the right shape; {@link faultsOfBudgets} checks the values. */
export const budget = z.discriminatedUnion('of', [
  z.strictObject({ of: z.enum(['turn', 'run', 'conversation', 'agent', 'day']), ...budgetAmounts }),
  z.strictObject({ of: z.literal('model'), model: ofPair, ...budgetAmounts }),
  z.strictObject({ of: z.literal('tool'), tool: ofPair, ...budgetAmounts }),
]);
/**
 * A limit on usage; a user is asked before it is exceeded.
 * - `turn`: one model request and the sampling of servers during its calls
 * - `run`, `conversation`: everything in it
 * - `day`: everything of the owner, per day (UTC)
 * - `agent`: the agent of the conversation, per day; `model`: one `provider/model`, per day
 * - `tool`: one `server/tool`, per day: its calls, and the sampling of its server during them
 */
export type Budget = z.output<typeof budget>;

export const budgets = z.array(budget).superRefine((list, context) => {
  for (const { at, problem } of faultsOfBudgets(list)) {
    context.addIssue({ code: 'custom', message: problem, path: [at] });
  }
});

export const agentConfiguration = namedObject('AgentConfiguration', {
  model: z.strictObject(modelFields).exactOptional(),
  ...settingFields(''),
  parameters: z.strictObject(settingFields('parameters')).exactOptional(),
  limits: z.strictObject(settingFields('limits')).exactOptional(),
  /** Servers switched on or off explicitly; any other has its own default. */
  servers: z.record(z.string(), z.boolean()).exactOptional(),
  /** Disabled tools, as `server/tool`. */
  disabledTools: z.array(z.string()).exactOptional(),
  /** Precedes the conversation in every model request. */
  examples: examples.exactOptional(),
  /** Rules of all layers apply together: a layer cannot remove those of another. */
  interventionRules: interventionRules.exactOptional(),
  /**
   * The stored rules were unreadable and are lost. Until a client saves the rules without this field, every call
   * asks, whatever was allowed, except read-only built-in tools: one of the lost rules may have forbidden it.
   */
  lostRules: z.literal(true).exactOptional(),
  /** The model of each preset task, or `off`; the model of the conversation for others. */
  presetTasks: z.strictObject(settingFields('presetTasks')).exactOptional(),
  /** Of two budgets with the same scope the one of the later layer applies. */
  budgets: budgets.exactOptional(),
});
/**
 * Configuration of an agent. Each layer may leave fields out; the later layer wins: default, agent, conversation, run.
 */
export type AgentConfiguration = z.output<typeof agentConfiguration>;
/** Parameters for every model; an API format omits those that its provider rejects, and reports it. */
export type ModelParameters = NonNullable<AgentConfiguration['parameters']>;
/** Reasoning effort in ascending order; each API format uses the nearest level that its model has. */
export type ReasoningEffort = NonNullable<ModelParameters['reasoningEffort']>;
/** What happens when the permitted turns are used up. `answer`: the last request allows no tool calls. */
export type OnMaxTurns = NonNullable<NonNullable<AgentConfiguration['limits']>['onMaxTurns']>;
/** `native`: the request contains the tools. `text`: the prompt describes them and calls come back as text. */
export type ToolMode = NonNullable<AgentConfiguration['toolMode']>;
/**
 * What happens to a call that no stored decision covers.
 * - `auto`: it runs
 * - `allow-list`: it asks, unless a rule allows it
 * - `manual`: it asks, whatever the rules allow
 * - `headless`: as `allow-list`, but denies the call instead of asking
 *
 * In every mode a call that a rule forbids is denied, and a call flagged as dangerous needs an approval of its own.
 */
export type InterventionMode = NonNullable<AgentConfiguration['intervention']>;

export const modelReference = namedObject('ModelReference', modelFields);
/** A model of a provider; both ids together identify it. */
export type ModelReference = z.output<typeof modelReference>;

export const modelParameters = z.strictObject(resolvedFields('parameters'));

export const resolvedConfiguration = namedObject('ResolvedAgentConfiguration', {
  model: modelReference.nullable(),
  /** The agent whose layer is among the merged ones. */
  agent: agentReference.exactOptional(),
  ...resolvedFields(''),
  parameters: modelParameters,
  limits: z.strictObject({
    ...resolvedFields('limits'),
    /** Price of the model's tokens, if known. */
    price: price.exactOptional(),
  }),
  servers: z.record(z.string(), z.boolean()),
  disabledTools: z.array(z.string()),
  examples: examples.exactOptional(),
  interventionRules,
  lostRules: z.literal(true).exactOptional(),
  /** Without the defaults of the settings table. */
  presetTasks: z.strictObject(settingFields('presetTasks')).exactOptional(),
  budgets,
});
/** The merged configuration, with the layer that each part came from. */
export type ResolvedAgentConfiguration = z.output<typeof resolvedConfiguration>;
/** Limits of a run; all are enforced. */
export type RunLimits = ResolvedAgentConfiguration['limits'];

/** `defaults` is the lowest layer of every configuration; other keys belong to the page. */
export type SettingsView = { defaults: AgentConfiguration } & Record<string, JsonValue | AgentConfiguration>;
export const settingsView: z.ZodType<SettingsView> = named(
  'SettingsView',
  z.object({ defaults: agentConfiguration }).catchall(z.union([jsonValue, agentConfiguration])),
);

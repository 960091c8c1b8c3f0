import { z } from 'zod';
import type { JsonValue } from '../json.ts';
import { faultsOfBudgets } from '../budget-faults.ts';
import { faultsOfRules } from '../intervention-rules.ts';
import { jsonValue, named, clientId, pageOf, price, timestamp, titleText } from './common.ts';
import { resolvedFields, settingFields } from './setting-fields.ts';

const modelFields = { providerId: z.string().min(1), modelId: z.string().min(1) };

const interventionRule = z.strictObject({
  decision: z.enum(['allow', 'ask', 'never']),
  /** `server/tool` */
  tool: z.string().exactOptional(),
  /** Any value among the arguments, at any depth and under any name. */
  argument: z.string().exactOptional(),
  /** A command of a shell, its words with one space between them: `git status*`. */
  command: z.string().exactOptional(),
  /** A path lies outside of this folder. Not for what allows. */
  outside: z.string().exactOptional(),
  /** All paths lie in this folder, and at least one is a whole path. Only for what allows. */
  inside: z.string().exactOptional(),
  /** What the tool's server says of it. Of servers that are not trusted: that it changes and destroys. */
  readOnly: z.boolean().exactOptional(),
  destructive: z.boolean().exactOptional(),
});
/**
 * What is to be done about calls of which all that it says is true. Of several that fit the strictest counts. `*`
 * stands for any characters, `?` for one. What allows has to be true of the whole call: of every text, every command,
 * every path in it; else it is enough if it is true of a part.
 */
export type InterventionRule = z.output<typeof interventionRule>;

export const interventionRules = z.array(interventionRule).superRefine((rules, context) => {
  for (const { rule, field, problem } of faultsOfRules(rules)) {
    context.addIssue({ code: 'custom', message: problem, path: field === undefined ? [rule] : [rule, field] });
  }
});

export const examples = z.array(z.strictObject({ question: z.string(), answer: z.string() })).max(50);
/** How the owner would like a question answered. */
export type ConversationExample = NonNullable<AgentConfiguration['examples']>[number];

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
/**
 * What may be used up before a person is asked.
 * - `turn`: one model request and what servers ask of the model during its calls
 * - `run`, `conversation`: all of it
 * - `day`: everything of the owner, on a day in UTC
 * - `agent`: the agent of the conversation, on a day; `model`: one as `provider/model`, on a day
 * - `tool`: one as `server/tool`, on a day: calls of it, and what its server had the model asked meanwhile
 */
export type Budget = z.output<typeof budget>;

export const budgets = z.array(budget).superRefine((list, context) => {
  for (const { at, problem } of faultsOfBudgets(list)) {
    context.addIssue({ code: 'custom', message: problem, path: [at] });
  }
});

export const agentConfiguration = named(
  'AgentConfiguration',
  z.strictObject({
    model: z.strictObject(modelFields).exactOptional(),
    ...settingFields(''),
    parameters: z.strictObject(settingFields('parameters')).exactOptional(),
    limits: z.strictObject(settingFields('limits')).exactOptional(),
    /** Servers switched on or off by choice; one that is not named follows its own default. */
    servers: z.record(z.string(), z.boolean()).exactOptional(),
    /** Tools switched off, as `server/tool`. */
    disabledTools: z.array(z.string()).exactOptional(),
    /** Shown to the model before the conversation. */
    examples: examples.exactOptional(),
    /** They add up: a layer takes none away from those below. */
    interventionRules: interventionRules.exactOptional(),
    /**
     * Rules that were stored here could not be read. Until they are said to be complete again, by leaving this out, every
     * call is asked about that is not built in and only reads, whatever was allowed: one of them may have said never.
     */
    lostRules: z.literal(true).exactOptional(),
    /** Of the same thing that of the later layer counts; the others stay. */
    budgets: budgets.exactOptional(),
  }),
);
/**
 * What decides how an agent works. Each layer may leave out what it does not care about; the later one wins:
 * default, agent, conversation, run.
 */
export type AgentConfiguration = z.output<typeof agentConfiguration>;
/** What every model takes; a wire leaves out what its provider refuses, and says so. */
export type ModelParameters = NonNullable<AgentConfiguration['parameters']>;
/** How hard a model thinks, from not at all upward; each wire takes the nearest its model knows. */
export type ReasoningEffort = NonNullable<ModelParameters['reasoningEffort']>;
/** What happens when the permitted turns are used up. `answer`: the last one must answer without tools. */
export type OnMaxTurns = NonNullable<NonNullable<AgentConfiguration['limits']>['onMaxTurns']>;
/** `native`: tools go in the request. `text`: they are described in the prompt and calls come back as text. */
export type ToolMode = NonNullable<AgentConfiguration['toolMode']>;
/**
 * What is done about a call nothing has been decided on.
 * - `auto`: it is made
 * - `allow-list`: it is asked about, unless a rule allows it
 * - `manual`: it is asked about, whatever the rules allow
 * - `headless`: as `allow-list`, but nobody can be asked: it is refused
 *
 * What the owner forbids is refused in all of them, and what is feared needs a person's yes to that very call.
 */
export type InterventionMode = NonNullable<AgentConfiguration['intervention']>;

export const modelReference = named('ModelReference', z.strictObject(modelFields));
/** A model of a provider: together they are its only identity. */
export type ModelReference = z.output<typeof modelReference>;

export const modelParameters = z.strictObject(resolvedFields('parameters'));

export const resolvedConfiguration = named(
  'ResolvedAgentConfiguration',
  z.strictObject({
    model: modelReference.nullable(),
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
    budgets,
  }),
);
/** The whole of it, with where each part came from. */
export type ResolvedAgentConfiguration = z.output<typeof resolvedConfiguration>;
/** Bounds of a run; all are enforced. */
export type RunLimits = ResolvedAgentConfiguration['limits'];

export const agentView = named(
  'AgentView',
  z.strictObject({
    id: z.string(),
    title: z.string(),
    configuration: agentConfiguration,
    version: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);
export type AgentView = z.output<typeof agentView>;
export const agentPage = pageOf('AgentPage', agentView);

export const createAgentBody = named(
  'CreateAgent',
  z.strictObject({
    id: clientId.exactOptional(),
    title: titleText.min(1),
    configuration: agentConfiguration.exactOptional(),
  }),
);
export const changeAgentBody = named(
  'ChangeAgent',
  z.strictObject({
    version: z.int().positive().describe('The one that was seen: an older one is refused'),
    title: titleText.min(1).exactOptional(),
    configuration: agentConfiguration.exactOptional(),
  }),
);

/** `defaults` is the undermost layer of every configuration; other keys are the page's own. */
export type SettingsView = { defaults: AgentConfiguration } & Record<string, JsonValue | AgentConfiguration>;
export const settingsView: z.ZodType<SettingsView> = named(
  'SettingsView',
  z.object({ defaults: agentConfiguration }).catchall(z.union([jsonValue, agentConfiguration])),
);

import type { JsonObject } from './json.ts';

/** Where the form shows a setting, and what it accepts beyond the range of the setting itself. */
type FormPlace = {
  group: 'instructions' | 'parameters' | 'limits';
  min?: number;
  max?: number;
  /** Height of a text field, in lines. */
  rows?: number;
};

/** Bounds are inclusive. A default applies where no layer of the configuration has a value. */
export type Setting = {
  /** What it does, in Markdown: a row of docs/reference/settings.md. */
  help: string;
  form?: FormPlace;
} & (
  | { kind: 'number'; whole?: true; min?: number; max?: number; unit?: 'tokens' | 'milliseconds'; default?: number }
  | { kind: 'enum'; options: readonly string[]; default?: string }
  | { kind: 'boolean'; default?: boolean }
  | { kind: 'text'; default?: string }
  | { kind: 'list' | 'json' }
  /** A model, or `off`; by default the model of the conversation. */
  | { kind: 'model'; default?: 'off' }
);

/**
 * The settings of a configuration (of an agent, a conversation, the defaults), by their path in it, in the order of
 * the form. Types, validation, defaults, the reference, the form and the badge of overrides follow from this table. The
 * page has the texts of the form in `settings/setting-translations.ts`.
 */
export const SETTINGS = {
  instructions: {
    help: 'Instructions for the model (system prompt).',
    kind: 'text',
    default: '',
    form: { group: 'instructions', rows: 5 },
  },
  'parameters.temperature': {
    help: 'Sampling temperature.',
    kind: 'number',
    min: 0,
    form: { group: 'parameters', max: 2 },
  },
  'parameters.topP': {
    help: 'Nucleus sampling: samples from the most likely tokens whose probabilities add up to this.',
    kind: 'number',
    min: 0,
    max: 1,
    form: { group: 'parameters' },
  },
  'parameters.topK': {
    help: 'Samples from this many of the most likely tokens.',
    kind: 'number',
    whole: true,
    min: 1,
    form: { group: 'parameters', max: 10_000 },
  },
  'parameters.maxOutputTokens': {
    help: 'Maximum tokens of one answer.',
    kind: 'number',
    whole: true,
    min: 1,
    unit: 'tokens',
    form: { group: 'parameters', max: 10_000_000 },
  },
  'parameters.presencePenalty': {
    help: 'Penalty for tokens that occurred before.',
    kind: 'number',
    form: { group: 'parameters', min: -2, max: 2 },
  },
  'parameters.frequencyPenalty': {
    help: 'Penalty for tokens by how often they occurred before.',
    kind: 'number',
    form: { group: 'parameters', min: -2, max: 2 },
  },
  'parameters.seed': {
    help: 'Seed of sampling, where the provider supports one.',
    kind: 'number',
    whole: true,
    form: { group: 'parameters', min: 0 },
  },
  /** In ascending order. */
  'parameters.reasoningEffort': {
    help: 'Reasoning effort; the nearest level that the model has is used.',
    kind: 'enum',
    options: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    form: { group: 'parameters' },
  },
  'parameters.stop': { help: 'Strings that end the answer.', kind: 'list', form: { group: 'parameters', rows: 2 } },
  'parameters.extra': {
    help: 'Fields added to the request body unchanged, for what only one provider has.',
    kind: 'json',
    form: { group: 'parameters', rows: 3 },
  },
  'limits.maxTurns': {
    help: 'Maximum model requests of a run.',
    kind: 'number',
    whole: true,
    min: 1,
    default: 20,
    form: { group: 'limits', max: 1000 },
  },
  'limits.onMaxTurns': {
    help: 'At the last turn: `answer` allows no more tool calls, `error` fails the run.',
    kind: 'enum',
    options: ['answer', 'error'],
    default: 'answer',
  },
  'limits.maxWallTimeMs': {
    help: 'Maximum duration of a run; unlimited by default.',
    kind: 'number',
    whole: true,
    min: 1,
    unit: 'milliseconds',
  },
  'limits.toolConcurrency': {
    help: 'Tool calls of a run in progress at once.',
    kind: 'number',
    whole: true,
    min: 1,
    default: 8,
  },
  'limits.maxSameCall': {
    help: 'How often a run may call the same tool with the same arguments.',
    kind: 'number',
    whole: true,
    min: 1,
    default: 10,
  },
  'limits.maxDepth': {
    help: 'Levels of sub-agents below a run, each with one less than its parent; `0`: it delegates nothing.',
    kind: 'number',
    whole: true,
    min: 0,
    default: 2,
  },
  toolMode: {
    help: '`native` sends tool definitions in the request; `text` describes them in the prompt and parses calls from text.',
    kind: 'enum',
    options: ['native', 'text'],
    default: 'native',
    form: { group: 'limits' },
  },
  toolSearchPercent: {
    help: 'Percent of the context window above which tool definitions are left out and the model searches for tools; 10 by default.',
    kind: 'number',
    min: 1,
    max: 100,
    form: { group: 'limits' },
  },
  skillCatalogueTokens: {
    help: 'Tokens that the list of skills in a request may take; the others are named as left out; 2,000 by default.',
    kind: 'number',
    whole: true,
    min: 0,
    max: 100_000,
    unit: 'tokens',
    form: { group: 'limits' },
  },
  /**
   * What happens to a call that no stored decision covers.
   * - `manual`: asks, whatever the rules allow
   * - `allow-list`: asks, unless a rule allows it
   * - `auto`: runs
   * - `headless`: as `allow-list`, but denies the call instead of asking
   *
   * In every mode a call that a rule forbids is denied, and a call flagged as dangerous needs an approval of its own.
   */
  intervention: {
    help: 'Approval mode of tool calls: see [permissions](../permissions.md#modes).',
    kind: 'enum',
    options: ['manual', 'allow-list', 'auto', 'headless'],
    default: 'manual',
    form: { group: 'limits' },
  },
  historyMessages: {
    help: 'Sends at most this many of the latest messages; by default all that fit the context window.',
    kind: 'number',
    whole: true,
    min: 1,
  },
  workspace: {
    help: 'Folder on the machine of the server in which the tools `files` and `shell` work; an absolute path.',
    kind: 'text',
  },
  inputTemplate: { help: 'Template of user messages; `{{text}}` is the message.', kind: 'text' },
  /** The model of each preset task. */
  'presetTasks.title': { help: 'Names a conversation after its first answer.', kind: 'model' },
  'presetTasks.translate': { help: 'Translates a message.', kind: 'model' },
  'presetTasks.detect-language': { help: 'Finds the language of a message that is translated.', kind: 'model' },
  'presetTasks.summarize': {
    help: 'Summarizes the history that compaction replaces; `off` shortens it without a model.',
    kind: 'model',
  },
  /** Sends what a user types before the message is sent. */
  'presetTasks.complete-input': {
    help: 'Suggests the next words of the message being written.',
    kind: 'model',
    default: 'off',
  },
  'presetTasks.decide-search': {
    help: 'Decides whether to search the web, for models without tool calls.',
    kind: 'model',
  },
  'presetTasks.agent-title': { help: 'Suggests the name of an agent.', kind: 'model' },
  'presetTasks.agent-description': { help: 'Suggests the description of an agent.', kind: 'model' },
  'presetTasks.agent-tags': { help: 'Suggests the tags of an agent.', kind: 'model' },
  'presetTasks.agent-avatar': { help: 'Suggests the avatar of an agent.', kind: 'model' },
} as const satisfies Readonly<Record<string, Setting>>;

type Settings = typeof SETTINGS;
export type SettingPath = keyof Settings;
/** Settings inside a field of a configuration, or (`''`) at its top level. */
export type SettingSection = '' | 'parameters' | 'limits' | 'presetTasks';

type NameIn<Section extends SettingSection, Path extends string> = Section extends ''
  ? Path extends `${string}.${string}`
    ? never
    : Path
  : Path extends `${Section}.${infer Name}`
    ? Name
    : never;

type ValueOf<S> = S extends { kind: 'enum'; options: readonly (infer Option)[] }
  ? Option
  : S extends { kind: infer Kind extends keyof ValuesByKind }
    ? ValuesByKind[Kind]
    : never;
type ValuesByKind = {
  number: number;
  boolean: boolean;
  text: string;
  list: string[];
  json: JsonObject;
  model: { providerId: string; modelId: string } | 'off';
};

/** The values of a section as a layer of the configuration may have them. */
export type SettingValues<Section extends SettingSection> = {
  [Path in SettingPath as NameIn<Section, Path>]?: ValueOf<Settings[Path]>;
};

/** The names of a section's settings with a default. */
type Defaulted<Section extends SettingSection> = {
  [Path in SettingPath]: Settings[Path] extends { default: unknown } ? NameIn<Section, Path> : never;
}[SettingPath];

/** The values of a section after all layers are merged: those with a default always have a value. */
export type ResolvedSettings<Section extends SettingSection> = SettingValues<Section> &
  Required<Pick<SettingValues<Section>, Defaulted<Section> & keyof SettingValues<Section>>>;

/** The settings of a section by their names there. */
export function settingsIn(section: SettingSection): [name: string, setting: Setting][] {
  return Object.entries(SETTINGS).flatMap(([path, setting]): [string, Setting][] => {
    const dot = path.indexOf('.');
    return path.slice(0, Math.max(dot, 0)) === section ? [[path.slice(dot + 1), setting]] : [];
  });
}

/** The defaults of a section, for the names that have one. */
export function defaultSettings<Section extends SettingSection>(section: Section): ResolvedSettings<Section> {
  const defaults = settingsIn(section).flatMap(([name, setting]) =>
    'default' in setting ? [[name, setting.default]] : [],
  );
  // The table, of which both the type and these entries are made, has exactly these names.
  return Object.fromEntries(defaults) as ResolvedSettings<Section>;
}

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
export type Setting = { form?: FormPlace } & (
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
 * the form. Types, validation, defaults, the form and the badge of overrides follow from this table. The page has the
 * texts `settings.<name>`, `settings.<name>Hint` and, for each option of an enum, `settings.<name>_<option>`.
 */
export const SETTINGS = {
  instructions: { kind: 'text', default: '', form: { group: 'instructions', rows: 5 } },
  'parameters.temperature': { kind: 'number', min: 0, form: { group: 'parameters', max: 2 } },
  'parameters.topP': { kind: 'number', min: 0, max: 1, form: { group: 'parameters' } },
  'parameters.topK': { kind: 'number', whole: true, min: 1, form: { group: 'parameters', max: 10_000 } },
  'parameters.maxOutputTokens': {
    kind: 'number',
    whole: true,
    min: 1,
    unit: 'tokens',
    form: { group: 'parameters', max: 10_000_000 },
  },
  'parameters.presencePenalty': { kind: 'number', form: { group: 'parameters', min: -2, max: 2 } },
  'parameters.frequencyPenalty': { kind: 'number', form: { group: 'parameters', min: -2, max: 2 } },
  'parameters.seed': { kind: 'number', whole: true, form: { group: 'parameters', min: 0 } },
  /** In ascending order; each API format uses the nearest level that its model has. */
  'parameters.reasoningEffort': {
    kind: 'enum',
    options: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    form: { group: 'parameters' },
  },
  'parameters.stop': { kind: 'list', form: { group: 'parameters', rows: 2 } },
  /** Fields that are added to the request unchanged, for what only one provider has. */
  'parameters.extra': { kind: 'json', form: { group: 'parameters', rows: 3 } },
  /** Model requests of a run. */
  'limits.maxTurns': { kind: 'number', whole: true, min: 1, default: 20, form: { group: 'limits', max: 1000 } },
  /** What happens when the permitted turns are used up. `answer`: the last request allows no tool calls. */
  'limits.onMaxTurns': { kind: 'enum', options: ['answer', 'error'], default: 'answer' },
  /** From start to end; unlimited by default. */
  'limits.maxWallTimeMs': { kind: 'number', whole: true, min: 1, unit: 'milliseconds' },
  /** Tools running at once. */
  'limits.toolConcurrency': { kind: 'number', whole: true, min: 1, default: 8 },
  /** How often the same tool may be called with the same arguments in one run. */
  'limits.maxSameCall': { kind: 'number', whole: true, min: 1, default: 10 },
  /** Levels of sub-agents below a run; 0: it delegates nothing. Each child run has one less than its parent. */
  'limits.maxDepth': { kind: 'number', whole: true, min: 0, default: 2 },
  /** `native`: the request contains the tools. `text`: the prompt describes them and calls come back as text. */
  toolMode: { kind: 'enum', options: ['native', 'text'], default: 'native', form: { group: 'limits' } },
  /**
   * The share of the context window that tool definitions may take, 10 % by default; with more, the model finds tools by
   * search.
   */
  toolSearchPercent: { kind: 'number', min: 1, max: 100, form: { group: 'limits' } },
  /** Tokens that the list of skills in a request may take, 2,000 by default; the others are named as left out. */
  skillCatalogueTokens: {
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
    kind: 'enum',
    options: ['manual', 'allow-list', 'auto', 'headless'],
    default: 'manual',
    form: { group: 'limits' },
  },
  /** At most this many of the latest messages are sent to the model; by default all that fit its context window. */
  historyMessages: { kind: 'number', whole: true, min: 1 },
  /** The folder on the machine of the server in which built-in tools work: an absolute path. */
  workspace: { kind: 'text' },
  /** Wraps what the user writes, in the place of `{{text}}`. */
  inputTemplate: { kind: 'text' },
  /** The model of each preset task. */
  'presetTasks.title': { kind: 'model' },
  'presetTasks.translate': { kind: 'model' },
  'presetTasks.detect-language': { kind: 'model' },
  'presetTasks.summarize': { kind: 'model' },
  /** Sends what a user types before the message is sent. */
  'presetTasks.complete-input': { kind: 'model', default: 'off' },
  'presetTasks.decide-search': { kind: 'model' },
  'presetTasks.agent-title': { kind: 'model' },
  'presetTasks.agent-description': { kind: 'model' },
  'presetTasks.agent-tags': { kind: 'model' },
  'presetTasks.agent-avatar': { kind: 'model' },
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

import type { Setting, SettingPath } from '../../packages/protocol/src/settings.ts';
import { SETTINGS } from '../../packages/protocol/src/settings.ts';
import { code, table } from './table.ts';

/** A new setting does not compile without a line here. */
const MEANINGS: Readonly<Record<SettingPath, string>> = {
  instructions: 'Instructions for the model (system prompt).',
  'parameters.temperature': 'Sampling temperature.',
  'parameters.topP': 'Nucleus sampling: samples from the most likely tokens whose probabilities add up to this.',
  'parameters.topK': 'Samples from this many of the most likely tokens.',
  'parameters.maxOutputTokens': 'Maximum tokens of one answer.',
  'parameters.presencePenalty': 'Penalty for tokens that occurred before.',
  'parameters.frequencyPenalty': 'Penalty for tokens by how often they occurred before.',
  'parameters.seed': 'Seed of sampling, where the provider supports one.',
  'parameters.reasoningEffort': 'Reasoning effort; the nearest level that the model has is used.',
  'parameters.stop': 'Strings that end the answer.',
  'parameters.extra': 'Fields added to the request body unchanged, for what only one provider has.',
  'limits.maxTurns': 'Maximum model requests of a run.',
  'limits.onMaxTurns': 'At the last turn: `answer` allows no more tool calls, `error` fails the run.',
  'limits.maxWallTimeMs': 'Maximum duration of a run; unlimited by default.',
  'limits.toolConcurrency': 'Tool calls of a run in progress at once.',
  'limits.maxDepth': 'Levels of sub-agents below a run; `0`: it delegates nothing.',
  'limits.maxSameCall': 'How often a run may call the same tool with the same arguments.',
  toolMode:
    '`native` sends tool definitions in the request; `text` describes them in the prompt and parses calls from text.',
  toolSearchPercent:
    'Percent of the context window above which tool definitions are left out and the model searches for tools; 10 by default.',
  skillCatalogueTokens:
    'Tokens that the list of skills in a request may take; the others are named as left out; 2,000 by default.',
  intervention: 'Approval mode of tool calls: see [permissions](../permissions.md#modes).',
  historyMessages: 'Sends at most this many of the latest messages; by default all that fit the context window.',
  workspace: 'Folder on the machine of the server in which the tools `files` and `shell` work; an absolute path.',
  inputTemplate: 'Template of user messages; `{{text}}` is the message.',
  'presetTasks.title': 'Names a conversation after its first answer.',
  'presetTasks.translate': 'Translates a message.',
  'presetTasks.detect-language': 'Finds the language of a message that is translated.',
  'presetTasks.summarize': 'Summarizes the history that compaction replaces; `off` shortens it without a model.',
  'presetTasks.complete-input': 'Suggests the next words of the message being written.',
  'presetTasks.decide-search': 'Decides whether to search the web, for models without tool calls.',
  'presetTasks.agent-title': 'Suggests the name of an agent.',
  'presetTasks.agent-description': 'Suggests the description of an agent.',
  'presetTasks.agent-tags': 'Suggests the tags of an agent.',
  'presetTasks.agent-avatar': 'Suggests the avatar of an agent.',
};

/** The settings of a configuration: of the defaults, an agent or a conversation. */
export function settingsReference(): string {
  const rows = Object.entries(SETTINGS).map(([path, setting]: [string, Setting]) => [
    code(path),
    MEANINGS[path as SettingPath],
    valuesOf(setting),
    'default' in setting ? code(JSON.stringify(setting.default)) : '',
  ]);
  return `# Settings

A configuration is set for all conversations (\`defaults\` of \`config.json\`, or Settings on the page), for an agent, or for a
conversation; each overrides the one before. The path \`limits.maxTurns\` means \`{ "limits": { "maxTurns": 20 } }\`. A setting without a
default is not sent to the provider. Rules and budgets are part of a configuration too:
[permissions](../permissions.md).

${table(['setting', 'meaning', 'values', 'default'], rows)}
`;
}

function valuesOf(setting: Setting): string {
  switch (setting.kind) {
    case 'number': {
      const { min, max, whole, unit } = setting;
      const range = [min === undefined ? '' : `from ${min}`, max === undefined ? '' : `to ${max}`].filter(Boolean);
      return [whole ? 'integer' : 'number', ...range, ...(unit ? [`(${unit})`] : [])].join(' ');
    }
    case 'enum':
      return setting.options.map(code).join(', ');
    case 'boolean':
      return '`true`, `false`';
    case 'text':
      return 'string';
    case 'list':
      return 'list of strings';
    case 'json':
      return 'object';
    case 'model':
      return '`off`, or `{ "providerId", "modelId" }`; by default the model of the conversation';
  }
}

import type { Setting } from '../../packages/protocol/src/settings.ts';
import { SETTINGS } from '../../packages/protocol/src/settings.ts';
import { code, table } from './table.ts';

/** The settings of a configuration: of the defaults, an agent or a conversation. */
export function settingsReference(): string {
  const rows = Object.entries(SETTINGS).map(([path, setting]: [string, Setting]) => [
    code(path),
    setting.help,
    formatValues(setting),
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

function formatValues(setting: Setting): string {
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

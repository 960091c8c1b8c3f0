import { serveFlags } from '../../packages/server/src/config/serve-flags.ts';
import { code, table } from './table.ts';

/** The flags of `toolyard serve`, with variables, keys of `config.json`, defaults and older names. */
export function serveReference(): string {
  const rows = serveFlags().flatMap(([, flag]) => {
    const { help, no, env = '', configKey = '' } = flag;
    const notes = [
      ...(flag.kind === 'enum' ? [`one of ${flag.options.map(code).join(', ')}`] : []),
      ...(flag.kind === 'list' ? ['repeatable'] : []),
    ];
    const value = 'default' in flag && typeof flag.default !== 'object' ? code(String(flag.default)) : '';
    const row = (form: string, text: string): string[] => [
      code(`--${form}`),
      [text, ...notes].join('; '),
      code(env),
      code(configKey),
      value,
    ];
    return [
      ...(help === undefined ? [] : [row('value' in flag ? `${flag.flag} ${flag.value}` : flag.flag, help)]),
      ...(no === undefined ? [] : [row(`no-${flag.flag}`, no)]),
    ];
  });
  const older = serveFlags().flatMap(([, { flag, env, aliases }]) => [
    ...(aliases?.flags ?? []).map((each) => [code(`--${each}`), code(`--${flag}`)]),
    ...(aliases?.env ?? []).map((each) => [code(each), code(env ?? '')]),
  ]);
  return `# Flags of \`toolyard serve\`

Most flags can also be set by an environment variable, some by a key of \`config.json\` in the data folder. A flag takes
precedence over a variable, and a variable over a key; lists and objects of several sources are merged. The variable of a
flag without a value is \`on\` or \`off\`.

${table(['flag', 'meaning', 'variable', 'key', 'default'], rows)}

## Older names

They still work and print a warning with the current name; \`--webui\` also works as \`--no-webui\`.

${table(['older name', 'current name'], older)}
`;
}

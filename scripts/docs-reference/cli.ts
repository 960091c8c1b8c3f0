import { Writable } from 'node:stream';
import { createProgram } from '../../packages/cli/src/main.ts';
import { code, table } from './table.ts';

type Program = ReturnType<typeof createProgram>;

/** All commands of the CLI with their arguments and options, without those of `serve`. */
export function cliReference(): string {
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const program = createProgram({
    io: {
      stdin: process.stdin,
      stdout: discard,
      stderr: discard,
      env: {},
      cwd: '/',
      onSignal: () => () => {},
      onExit: () => {},
      exit: () => {},
    },
    exitCode: 0,
  });
  const sections = program.commands.map((command) => formatSection(command, '##', ''));
  return `# Commands

\`toolyard\` is the command of the package \`@toolyard/cli\`; in a checkout use \`npm run -s toolyard --\` instead. \`--help\` after
any command prints the same. With \`--json\` the output is for programs.

${sections.join('\n\n')}

## Exit codes

${table(
  ['code', 'meaning'],
  [
    ['0', 'completed'],
    ['1', 'failed'],
    ['2', 'wrong usage: an unknown flag or a bad value'],
    ['3', 'the server went away and did not come back within `--reconnect-timeout`'],
    ['130', 'stopped with Ctrl-C'],
  ],
)}
`;
}

function formatSection(command: Program, heading: string, parent: string): string {
  const name = [parent, command.name()].filter(Boolean).join(' ');
  const usage = [
    'toolyard',
    name,
    ...command.registeredArguments.map((each) => bracketed(each.name(), each.required, each.variadic)),
  ].join(' ');
  const description = command.description();
  const parts = [`${heading} ${name}`, ...(description === '' ? [] : [`${escaped(description)}.`])];
  const hasOwnAction = command.commands.length === 0 || command.options.length > 0;
  if (hasOwnAction)
    parts.push(
      `\`\`\`\n${usage}\n\`\`\``,
      ...(name === 'serve' ? ['Flags: [serve](serve.md).'] : listOptions(command)),
    );
  parts.push(...command.commands.map((each) => formatSection(each, `${heading}#`, name)));
  return parts.join('\n\n');
}

function listOptions(command: Program): string[] {
  const described = command.registeredArguments.filter((each) => each.description !== '');
  const options = command.options.filter((each) => !each.hidden);
  const rows = [
    ...described.map((each) => [
      code(bracketed(each.name(), each.required, each.variadic)),
      escaped(each.description),
      formatDefault(each.defaultValue),
    ]),
    ...options.map((each) => [
      code(each.flags),
      [escaped(each.description), ...(each.argChoices ? [`one of ${each.argChoices.map(code).join(', ')}`] : [])].join(
        '; ',
      ),
      each.negate ? '' : formatDefault(each.defaultValue),
    ]),
  ];
  return rows.length === 0 ? [] : [table(['option', 'meaning', 'default'], rows)];
}

function bracketed(name: string, isRequired: boolean, isVariadic: boolean): string {
  const text = isVariadic ? `${name}...` : name;
  return isRequired ? `<${text}>` : `[${text}]`;
}

/** Text that Markdown would read as HTML, emphasis or a link. */
function escaped(text: string): string {
  return text.replaceAll(/[<[*]/g, String.raw`\$&`);
}

function formatDefault(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? code(String(value))
    : '';
}

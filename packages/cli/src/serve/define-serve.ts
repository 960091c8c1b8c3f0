import type { Command } from 'commander';
import { Option } from 'commander';
import type { ServeFlag } from '@toolyard/server/serve-flags';
import { serveFlags } from '@toolyard/server/serve-flags';
import { addAliases, isGiven, getName } from './aliases.ts';
import type { Invocation } from '../command-io.ts';
import { repeatable } from '../options.ts';
import { sanitize } from '../sanitize.ts';
import type { GivenFlags } from './read-serve-flags.ts';

/** Defines `toolyard serve`. */
export function defineServe(program: Command, invocation: Invocation): void {
  const { io } = invocation;
  const serve = program.command('serve').description('Start the server with the web UI').exitOverride();
  addServeFlags(serve, (line) => void io.stderr.write(`toolyard: ${sanitize(line)}\n`));
  serve.addHelpText('after', deprecatedNames()).action(async (_options: unknown, command: Command) => {
    const { serveCommand } = await import('./serve-command.ts');
    invocation.exitCode = await serveCommand(io, givenFlags(command));
  });
}

/** Adds the flags of the table, with their older names. */
export function addServeFlags(serve: Command, warn: (line: string) => void): void {
  for (const [, flag] of serveFlags()) {
    for (const option of toOptions(flag)) serve.addOption(option);
    addAliases(serve, flag.flag, flag.aliases?.flags ?? [], warn);
  }
}

/** The flags on the command line, by name, without commander's defaults. */
export function givenFlags(command: Command): GivenFlags {
  return Object.fromEntries(
    command.options
      .filter((option) => isGiven(command, option))
      .map((option) => [getName(option), command.getOptionValue(option.attributeName())]),
  );
}

function toOptions(flag: ServeFlag): Option[] {
  const options: Option[] = [];
  if (flag.help !== undefined) {
    const flags = flag.kind === 'boolean' ? `--${flag.flag}` : `--${flag.flag} ${flag.value}`;
    const help = `${flag.help}${formatSources(flag)}`;
    options.push(flag.kind === 'list' ? repeatable(flags, help) : new Option(flags, help));
  }
  if (flag.no !== undefined) options.push(new Option(`--no-${flag.flag}`, flag.no));
  return options;
}

/** Choices, variable and default of a flag, for its help. */
function formatSources(flag: ServeFlag): string {
  const notes = [];
  if (flag.kind === 'enum') notes.push(flag.options.join(', '));
  if (flag.env !== undefined) notes.push(`${flag.kind === 'text' && flag.secret ? 'better: ' : 'or '}${flag.env}`);
  const value = flag.kind === 'json-file' || flag.kind === 'list' || flag.kind === 'json' ? undefined : flag.default;
  if (value !== undefined) notes.push(`default: ${value === true ? 'on' : value === false ? 'off' : value}`);
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`;
}

function deprecatedNames(): string {
  const aliases = serveFlags().flatMap(([, flag]) => flag.aliases ?? []);
  const flags = aliases.flatMap((each) => each.flags ?? []).map((flag) => `--${flag}`);
  const variables = aliases.flatMap((each) => each.env ?? []);
  return `\nDeprecated names, which still work with a warning:\n  ${flags.join(', ')}\n  ${variables.join('\n  ')}`;
}

import type { Command } from 'commander';
import { Option } from 'commander';

/**
 * Accepts other names of a flag (without dashes), in all its forms, such as those of llama.cpp. Help does not list them;
 * using one prints a warning. The current name takes precedence.
 */
export function addAliases(
  command: Command,
  flag: string,
  aliases: readonly string[],
  warn: (line: string) => void,
): void {
  const current = command.options.filter((option) => getName(option) === flag);
  for (const alias of aliases) {
    const options = current.map((option) => createAlias(option, flag, alias));
    for (const option of options) command.addOption(option);
    command.hook('preAction', () => {
      const [from] = options;
      const [to] = current;
      if (!from || !to || !isGiven(command, from) || isGiven(command, to)) return;
      warn(`--${alias} is deprecated; use --${flag}.`);
      command.setOptionValueWithSource(to.attributeName(), command.getOptionValue(from.attributeName()), 'cli');
    });
  }
}

/** The name of the flag that an option is a form of: `ui` for `--no-ui`. */
export function getName(option: Option): string {
  return option.name().replace(/^no-/, '');
}

export function isGiven(command: Command, option: Option): boolean {
  return command.getOptionValueSource(option.attributeName()) === 'cli';
}

function createAlias(option: Option, flag: string, alias: string): Option {
  const { parseArg, defaultValueDescription, argChoices } = option;
  // Commander declares it as any.
  const defaultValue: unknown = option.defaultValue;
  const older = new Option(option.flags.replace(new RegExp(`--(no-)?${flag}\\b`), `--$1${alias}`)).hideHelp();
  if (argChoices) older.choices(argChoices);
  if (defaultValue !== undefined) older.default(defaultValue, defaultValueDescription);
  return parseArg ? older.argParser(parseArg) : older;
}

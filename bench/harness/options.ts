import type { ParseArgsConfig } from 'node:util';
import { parseArgs } from 'node:util';
import { say } from './command.ts';

export type Options = {
  /** The selected parts, in the order of the bench. */
  only: readonly string[];
  /** Fewer rounds and shorter runs with the same checks, to test the bench. */
  quick: boolean;
  /** Folder for CPU profiles of the measured processes; null for none. */
  profile: string | null;
  /** Values of the additional options. */
  values: Readonly<Record<string, string | undefined>>;
};

/** An option with a value: its usage line and its check. */
export type OwnOption = { usage: string } & ({ kind: 'count' } | { kind: 'names'; known: readonly string[] });

export type Command = { name: string; parts: readonly string[]; own?: Readonly<Record<string, OwnOption>> };

/** Parses the arguments of the process. Exits after printing help, or for invalid arguments. */
export function readOptions(command: Command): Options {
  const usage = formatUsage(command);
  try {
    const options = parse(command, process.argv.slice(2));
    if (options !== null) return options;
    process.stdout.write(usage);
    process.exit(0);
  } catch (thrown) {
    say(`${thrown instanceof Error ? thrown.message : String(thrown)}\n\n${usage}`);
    process.exit(2);
  }
}

function parse({ parts, own = {} }: Command, args: string[]): Options | null {
  const known: NonNullable<ParseArgsConfig['options']> = {
    help: { type: 'boolean', short: 'h' },
    quick: { type: 'boolean' },
  };
  for (const name of ['only', 'profile', ...Object.keys(own)]) known[name] = { type: 'string' };
  const parsed = parseArgs({ args, options: known }).values;
  if (parsed['help'] === true) return null;
  const values: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(parsed)) if (typeof value === 'string') values[name] = value;
  for (const [name, option] of Object.entries(own)) {
    const value = values[name];
    if (value === undefined) continue;
    if (option.kind === 'names') choose(name, value, option.known);
    else if (!(Number.isInteger(Number(value)) && Number(value) > 0))
      throw new Error(`--${name} must be a whole number above 0 (got "${value}").`);
  }
  const only = values['only'] === undefined ? parts : choose('only', values['only'], parts);
  return { only, quick: parsed['quick'] === true, profile: values['profile'] ?? null, values };
}

/** Parses a comma-separated list. @throws Error for an unknown name */
export function choose(option: string, list: string, known: readonly string[]): readonly string[] {
  const chosen = list.split(',');
  const unknown = chosen.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`--${option}: unknown "${unknown}". Use ${known.join(', ')}.`);
  return known.filter((name) => chosen.includes(name));
}

function formatUsage({ name: bench, parts, own = {} }: Command): string {
  const lines = [
    ['quick', 'fewer rounds, shorter runs: shows that everything works, the figures mean little'],
    ['only PART,...', `these parts alone: ${parts.join(', ')}`],
    ['profile FOLDER', 'write CPU profiles into this folder; the times are then too long'],
    ...Object.entries(own).map(([name, option]) =>
      option.kind === 'count'
        ? [`${name} N`, option.usage]
        : [`${name} NAME,...`, `${option.usage}: ${option.known.join(', ')}`],
    ),
  ];
  const described = lines.map(([option = '', text = '']) => `  --${option.padEnd(22)}${text}\n`);
  return `npm run bench -- ${bench} [options]\n\n${described.join('')}`;
}

import type { Command, Option } from 'commander';
import { expect, it } from 'vitest';
import { EXIT } from '../exit.ts';
import { createProgram } from '../main.ts';
import { createMemoryIo } from '../test-fixtures/memory-io.ts';

type Alias = { path: readonly string[]; option: Option };

/** Every older name of a flag: help lists only current names. */
function aliasesIn(command: Command, path: readonly string[] = []): Alias[] {
  const own = command.options.filter(({ hidden }) => hidden).map((option) => ({ path, option }));
  return [...own, ...command.commands.flatMap((sub) => aliasesIn(sub, [...path, sub.name()]))];
}

const named = ({ path, option }: Alias): string => `${path.join(' ')} ${option.long ?? ''}`;

/** Parses a flag of a command that does nothing. */
async function read(path: readonly string[], flag: readonly string[]) {
  const io = createMemoryIo();
  const program = createProgram({ io, exitCode: EXIT.done });
  const command = path.reduce((parent, name) => {
    const found = parent.commands.find((sub) => sub.name() === name);
    if (found === undefined) throw new Error(`There is no command "${name}".`);
    return found;
  }, program);
  command.action(() => undefined);
  const required = command.registeredArguments.filter((argument) => argument.required).map(() => 'x');
  await program.parseAsync([...path, ...required, ...flag], { from: 'user' });
  return { values: command.opts(), printed: io.stderr.text };
}

function getSample(option: Option): readonly string[] {
  if (option.negate || option.isBoolean()) return [];
  return [option.argChoices?.[0] ?? (option.attributeName().endsWith('onfig') ? '{"a":1}' : '7')];
}

const aliases = aliasesIn(createProgram({ io: createMemoryIo(), exitCode: EXIT.done }));

it.each(aliases.map((alias) => [named(alias), alias] as const))(
  '%s sets its current flag and prints a warning',
  async (_name, { path, option }) => {
    const { printed, values } = await read(path, [option.long ?? '', ...getSample(option)]);
    const current = /is deprecated; use (--\S+)\./.exec(printed)?.[1] ?? 'no warning';
    expect(printed).toContain(`${(option.long ?? '').replace('--no-', '--')} is deprecated; use ${current}.`);
    const negated = option.long?.startsWith('--no-') === true ? current.replace('--', '--no-') : current;
    const direct = await read(path, [negated, ...getSample(option)]);
    expect(direct.printed).toBe('');
    // The older name stays in the options, beside the current one.
    expect(values).toMatchObject(direct.values);
  },
);

import type { Finding } from './dangerous-commands.ts';
import { forbidden } from './dangerous-commands.ts';
import { MOST_BEFORE } from './look.ts';
import { DECODERS, DOWNLOADERS } from './shell-names.ts';
import type { Command } from './shell-script.ts';
import { nameOf, programIn } from './shell-script.ts';
import { UNKNOWN } from './word-text.ts';

/** What commands hand on to those after them. */

export const DOWNLOADED = forbidden('It runs what it downloads.');
export const DECODED = forbidden('It runs what cannot be read before it is decoded.');

/** For what comes out of these commands, and is run. */
export function hiddenBy(commands: readonly Command[]): Finding | undefined {
  const names = commands.flatMap((command) =>
    programIn(command).wraps ? command.words.map(({ name }) => name) : [nameOf(command)],
  );
  if (names.some((name) => DOWNLOADERS.has(name))) return DOWNLOADED;
  return names.some((name) => DECODERS.has(name)) ? DECODED : undefined;
}

/** It prints its arguments and nothing else. */
export function isPrinter(command: Command): boolean {
  return programIn(command).prints;
}

/** What is printed by those of them that print no more than their arguments. */
export function printedBy(commands: readonly Command[]): string[] {
  return commands.filter(isPrinter).flatMap(argumentsOf);
}

export function argumentsOf({ words }: Command): string[] {
  return words.slice(1).map(({ text }) => text);
}

/** The arguments `xargs` reads: known where they are printed right there. */
export function fedTo(command: Command, commands: readonly Command[], index: number): string[] {
  if (index > MOST_BEFORE) return [UNKNOWN];
  const before = commands.slice(0, index);
  const here = command.redirects.flatMap(({ operator, target, body }) =>
    operator.startsWith('<<') ? (body ?? target.text) : [],
  );
  const known = [...here, ...printedBy(before)].flatMap((text) => text.split(/\s+/)).filter((text) => text !== '');
  const isKnown = command.piped && before.every(isPrinter) && !known.some((text) => /[\\%]/.test(text));
  return isKnown ? known : [...known, UNKNOWN];
}

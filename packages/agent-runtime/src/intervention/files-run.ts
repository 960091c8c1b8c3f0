import type { Finding } from './dangerous-commands.ts';
import { hiddenBy, printedBy } from './handed-on.ts';
import type { Inspector, Setting } from './look.ts';
import { MOST_BEFORE } from './look.ts';
import type { Command, Redirect, Word } from './shell-script.ts';
import { programIn } from './shell-script.ts';
import { EQUALS, holds, SLASH } from './words.ts';

/** Files that are run, where commands right before wrote them. */

const OWN_PATH = /^(?:\.{0,2}|~)\/\S/;

/** A library that is put into the program. */
const LOADS = /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)=./;

/** For programs and libraries that are named by where they lie. */
export function lookAtFilesRun(command: Command, { commands, index, isCommand, inside }: Setting): Finding | undefined {
  if (index === 0) return undefined;
  const { words, assignments } = command;
  const library = assignments.find(isLoaded) ?? words.find(isLoaded);
  const fetched = library && hiddenBy(commands.slice(0, Math.min(index, MOST_BEFORE)).filter(namesFile(library)));
  if (fetched || !isCommand) return fetched;
  const program = programIn(command).wraps ? words.find(isOwnPath) : words.slice(0, 1).find(isOwnPath);
  return program && writtenBefore(program, commands.slice(0, index), inside);
}

/** What is in a file that is run, where a command right before wrote it. */
export function writtenBefore(file: Word, before: readonly Command[], inside: Inspector): Finding | undefined {
  const wroteIt = namesFile(file, ({ operator }) => operator.startsWith('>'));
  for (let index = Math.min(before.length, MOST_BEFORE) - 1; index >= 0; index--) {
    const command = before[index];
    if (!command || !wroteIt(command)) continue;
    let first = index;
    while (first > 0 && before[first]?.piped === true) first--;
    const wrote = before.slice(first, index + 1);
    const finding = hiddenBy(wrote) ?? inside.text(printedBy(wrote).join(' '), true);
    if (finding?.kind === 'forbidden') return finding;
  }
  return undefined;
}

/** Whether a command names the file, or redirects to or from it. */
function namesFile(
  { name }: Word,
  redirected: (redirect: Redirect) => boolean = () => true,
): (command: Command) => boolean {
  return ({ words, redirects }) =>
    words.slice(1).some((word) => word.name === name) ||
    redirects.some((redirect) => redirect.target.name === name && redirected(redirect));
}

/** A program that is named by where it lies. */
export function isOwnPath(word: Word): boolean {
  return holds(word, SLASH) && OWN_PATH.test(word.text);
}

function isLoaded(word: Word): boolean {
  return holds(word, EQUALS) && LOADS.test(word.text);
}

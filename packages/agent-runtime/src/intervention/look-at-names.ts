import type { Place } from './dangerous-commands.ts';
import { checkCommand, unreadable } from './dangerous-commands.ts';
import { fedTo } from './handed-on.ts';
import type { Look } from './look.ts';
import { inFolder } from './look.ts';
import type { Word } from './shell-script.ts';
import { takesMereText } from './shell-script.ts';
import { UNKNOWN } from './word-text.ts';
import { holds, NOT_KNOWN, OF_PATTERNS } from './words.ts';

/** What programs do with what they are given, wherever their names stand. */
export const lookAtNames: Look = (command, setting) => {
  const { words } = command;
  const [first] = words;
  if (!first) return undefined;
  const { isCommand, commands, index, folder } = setting;
  let doubt = isCommand && isAnyProgram(first) ? unreadable('It cannot be told which program it runs.') : undefined;
  if (!words.some(({ program }) => program.isFeared)) return doubt;
  const { wraps } = first.program;
  let isWrapper = wraps && !SEEKERS.has(first.name);
  for (const [at, { text, name, program }] of words.entries()) {
    if (at === 1 && takesMereText(command)) break;
    isWrapper ||= wraps && /^(?:-exec|-ok|--exec|-x$|-X$)/.test(text);
    if (!program.isFeared || words.findIndex((word) => word.name === name) < at) continue;
    if (at > 0 && !isWrapper && program.endsMachine) continue;
    const place: Place = (at === 0 ? isCommand : isWrapper) ? 'command' : 'argument';
    const args = words.slice(at + 1).map((word) => (name === 'rm' ? inFolder(word.text, folder) : word.text));
    const isFed = words.slice(0, at).some(feeds);
    const finding = checkCommand(name, isFed ? [...args, ...fedTo(command, commands, index)] : args, place);
    if (finding?.kind === 'forbidden') return finding;
    if (isCommand) doubt ??= finding;
  }
  return doubt;
};

/** What they look for is no command; what they are to run on it is. */
const SEEKERS = new Set(['find', 'fd']);

/** It runs commands with arguments that it reads. */
export function feeds({ name }: Word): boolean {
  return name === 'xargs' || name === 'parallel';
}

/** Only the running shell knows which program it is. */
function isAnyProgram(word: Word): boolean {
  if (!holds(word, NOT_KNOWN | OF_PATTERNS)) return false;
  const { name, text } = word;
  if (name.includes(UNKNOWN) || (name === '' && text.includes(UNKNOWN))) return true;
  return /[*?[]/.test(name) && !/^\[\[?$/.test(name);
}

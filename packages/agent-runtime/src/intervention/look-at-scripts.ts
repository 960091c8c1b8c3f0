import { lookAtFilesRun } from './files-run.ts';
import type { Look } from './look.ts';
import { readAsProgram } from './read-as-program.ts';
import { givenTo } from './shell-names.ts';
import { programIn, takesMereText } from './shell-script.ts';
import { holds, OF_SCRIPTS } from './words.ts';

/** What is read as a program: by a shell, or by an interpreter. */
export const lookAtScripts: Look = (command, setting) => {
  if (takesMereText(command)) return undefined;
  const read = readAsProgram(command, setting);
  if (read?.kind === 'forbidden') return read;
  const fromFile = lookAtFilesRun(command, setting);
  if (fromFile) return fromFile;
  const { words, assignments } = command;
  const { wraps } = programIn(command);
  let doubt = read;
  for (const word of assignments.length === 0 ? words : [...assignments, ...words]) {
    if (word === words[0] || !holds(word, OF_SCRIPTS) || !/[\s;|&<>`$(]/.test(word.text)) continue;
    for (const script of scriptsIn(word.text)) {
      const finding = setting.inside.text(script, false);
      if (finding?.kind === 'forbidden') return finding;
      if (wraps) doubt ??= finding;
    }
  }
  return setting.isCommand ? doubt : undefined;
};

/** The text, and what it gives to an option or a variable. */
function scriptsIn(text: string): string[] {
  const from = givenTo(text);
  return from === 0 ? [text] : [text, text.slice(from)];
}

import { isHarmlessAtAGlance } from './at-a-glance.ts';
import type { Finding } from './dangerous-commands.ts';
import { forbidden, unreadable } from './dangerous-commands.ts';
import { isOwnPath } from './files-run.ts';
import { DOWNLOADED } from './handed-on.ts';
import { inspectCode } from './inspect-code.ts';
import { lookAtNames } from './look-at-names.ts';
import { lookAtEnvironment, lookAtPaths, lookAtRedirects } from './look-at-paths.ts';
import { lookAtScripts } from './look-at-scripts.ts';
import type { Folder, Inspector, Look } from './look.ts';
import { inFolder } from './look.ts';
import { mayHoldSecrets } from './sensitive-paths.ts';
import type { ReadShell } from './read-once.ts';
import { readShell } from './shell-reader.ts';
import type { Command, Script } from './shell-script.ts';
import { emptyCommand, programIn } from './shell-script.ts';
import { wordOf } from './words.ts';

/**
 * Looks at a text as a shell would read it. `isCommand`: it is known to be run; a text that is not might be anything,
 * so only what is plainly feared counts.
 */
export function inspectShell(text: string, isCommand: boolean, read?: ReadShell): Finding | undefined {
  return isHarmlessAtAGlance(text, isCommand) ? undefined : inspectFully(text, isCommand, read);
}

/** @internal The same, whatever the text looks like. */
export function inspectFully(text: string, isCommand: boolean, read?: ReadShell): Finding | undefined {
  return inspect(text, isCommand, 0, read);
}

/** The same for a command that is given in words already. */
export function inspectWords(words: readonly string[]): Finding | undefined {
  const command: Command = { ...emptyCommand(), words: words.map((text) => wordOf(text)) };
  return findIn({ commands: [command], faults: [] }, { isCommand: true, sure: false, depth: 0, text: '' });
}

/** The same for a program in a language that is not read here. */
export function inspectProgram(code: string): Finding | undefined {
  return inspectCode(code, inspectorAt(1));
}

const DEEPEST = 6;

/** A text that begins with a variable or a substitution is hardly anything but a command. */
const UNKNOWN_COMMAND = /^\s*\$(?:\(|\{|[A-Za-z_]\w*[ \t])[^\n]*$/;
const ITSELF_AGAIN = /([\w:.]{1,40})\s{0,9}(?:\(\s{0,9}\)\s{0,9})?\{[^}]{0,200}\1\s{0,9}\|\s{0,9}\1\s{0,9}&/;
/** As it is written for PowerShell: a list in parentheses is a value there. */
const RUNS_FETCHED =
  /(?:^|[ \t\r\n;|&(])(?:iex|invoke-expression)[ \t\r\n(&]{1,20}[^\n]{0,200}\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)\b/i;

const LOOKS: readonly Look[] = [lookAtRedirects, lookAtPaths, lookAtEnvironment, lookAtNames, lookAtScripts];

/** What a script is taken for. */
type Reading = { isCommand: boolean; sure: boolean; depth: number; text: string };

function inspect(text: string, sure: boolean, depth: number, read: ReadShell = readShell): Finding | undefined {
  if (depth > DEEPEST) return unreadable('Commands are hidden in commands too deeply.');
  const script = read(text);
  const isCommand = sure || beginsAsCommand(script) || UNKNOWN_COMMAND.test(text);
  return findIn(script, { isCommand, sure, depth, text });
}

function beginsAsCommand({ commands }: Script): boolean {
  const first = commands[0]?.words[0];
  return first !== undefined && (first.program.isUsual || isOwnPath(first));
}

function findIn({ commands, faults }: Script, { isCommand, sure, depth, text }: Reading): Finding | undefined {
  if (text.includes('|') && text.includes('{') && ITSELF_AGAIN.test(text)) {
    return forbidden('It starts itself over and over until the machine stands still.');
  }
  if (RUNS_FETCHED.test(text)) return DOWNLOADED;
  let doubt = sure && faults.length > 0 ? unreadable('Part of it cannot be read as a command.') : undefined;
  const inside = inspectorAt(depth + 1);
  let folder: Folder | undefined;
  for (const [index, command] of commands.entries()) {
    const setting = { isCommand, sure, commands, index, folder, inside };
    for (const look of LOOKS) {
      const finding = look(command, setting);
      if (finding?.kind === 'forbidden') return finding;
      doubt ??= finding;
    }
    if (programIn(command).changesFolder) folder = goTo(command, folder);
  }
  return doubt;
}

function goTo({ words }: Command, from: Folder | undefined): Folder {
  const path = inFolder(words[1]?.text ?? '~', from);
  return { path, mayHoldSecrets: mayHoldSecrets(path) };
}

function inspectorAt(depth: number): Inspector {
  return { text: (text, isRun) => inspect(text, isRun, depth), words: inspectWords };
}

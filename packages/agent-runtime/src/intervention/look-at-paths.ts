import type { Finding } from './dangerous-commands.ts';
import { forbidden } from './dangerous-commands.ts';
import { printedBy } from './handed-on.ts';
import type { Folder, Look } from './look.ts';
import { inFolder, MOST_BEFORE } from './look.ts';
import { isDevice, isSecretPath, isStartedByItself } from './sensitive-paths.ts';
import type { Word } from './shell-script.ts';
import { nameOf, programIn } from './shell-script.ts';
import { listedPath, printsEnvironment } from './sought-secrets.ts';
import { UNKNOWN } from './word-text.ts';
import { holds, OF_PLACES } from './words.ts';

/** What a command reads and writes: files that are secret or start by themselves, devices, the environment. */

export const lookAtRedirects: Look = (command, setting) => {
  for (const { operator, target, body } of command.redirects) {
    if (operator.startsWith('<<')) {
      const finding = setting.inside.text(body ?? target.text, false);
      if (finding?.kind === 'forbidden') return finding;
      continue;
    }
    const isCommand = setting.isCommand || programIn(command).isUsual;
    if (isSecretPath(target.text, isCommand)) return secret(target.text);
    if (operator === '<' || operator === '<&') continue;
    if (isDevice(target.text)) return writesDevice(target.text);
    if (isStartedByItself(target.text)) return startsLater(target.text);
  }
  return undefined;
};

export const lookAtPaths: Look = (command, { isCommand: isKnown, commands, index, folder }) => {
  const { words, assignments } = command;
  const program = programIn(command);
  if (program.prints) return undefined;
  const isCommand = isKnown || program.isUsual;
  for (const { text } of assignments) if (isSecretPath(text, isCommand)) return secret(text);
  if (nameOf(command) === 'xargs' && index <= MOST_BEFORE) {
    const listed = listedPath(commands.slice(0, index));
    if (listed !== undefined) return secret(listed);
  }
  const mayWrite = isCommand && !program.onlyReads;
  const [first] = words;
  for (const word of words) {
    const reached = secretIn(word, isCommand, word === first ? undefined : folder);
    if (reached !== undefined) return secret(reached);
    if (!mayWrite || word === first || !holds(word, OF_PLACES)) continue;
    if (isStartedByItself(word.text)) return startsLater(word.text);
    if (program.writes && isDevice(word.text)) return writesDevice(word.text);
  }
  return undefined;
};

/** The secret path a word is, by itself, from the folder gone to, or by what is printed into it. */
function secretIn(word: Word, isCommand: boolean, folder: Folder | undefined): string | undefined {
  const { text, inner } = word;
  const saysPlace = holds(word, OF_PLACES);
  if (saysPlace && isSecretPath(text, isCommand)) return text;
  if (folder !== undefined && (saysPlace || folder.mayHoldSecrets)) {
    const whole = inFolder(text, folder);
    if (whole !== text && isSecretPath(whole, isCommand)) return whole;
  }
  if (inner.length === 0) return undefined;
  return printedBy(inner).find((printed) => isSecretPath(printed, isCommand)) ?? listedPath(inner);
}

export const lookAtEnvironment: Look = (command, { isCommand, sure, commands, index }) => {
  // The word alone may be the name of anything.
  const isRun = isCommand && (sure || commands.length > 1 || command.redirects.length > 0);
  return isRun && printsEnvironment(command, commands[index + 1]) ? ENVIRONMENT : undefined;
};

const ENVIRONMENT = forbidden('It prints the environment, where secrets are kept.');

/** @internal */
export function secret(path: string): Finding {
  return forbidden(`It reaches ${shown(path)}, where secrets are kept.`);
}

/** @internal */
export function startsLater(path: string): Finding {
  return forbidden(`It writes to ${shown(path)}, which is run later by itself.`);
}

function writesDevice(path: string): Finding {
  return forbidden(`It writes to the device ${path}.`);
}

function shown(path: string): string {
  const seen = path.replaceAll(UNKNOWN, '?');
  return seen.length > 80 ? `${seen.slice(0, 80)}...` : seen;
}

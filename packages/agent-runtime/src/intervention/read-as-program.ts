import type { Finding } from './dangerous-commands.ts';
import { unreadable } from './dangerous-commands.ts';
import { writtenBefore } from './files-run.ts';
import { argumentsOf, DECODED, hiddenBy, isPrinter } from './handed-on.ts';
import { inspectCode } from './inspect-code.ts';
import type { Inspector, Setting } from './look.ts';
import { MOST_BEFORE } from './look.ts';
import { feeds } from './look-at-names.ts';
import { CODE_TOOLS, SHELLS } from './shell-names.ts';
import type { Command, Word } from './shell-script.ts';
import { programIn } from './shell-script.ts';
import { UNKNOWN } from './word-text.ts';

/** What shells and interpreters read as their program: an argument, a file, or their input. */

const EXPRESSIONS = new Set(['iex', 'invoke-expression']);

/** Ways to name the input. */
const INPUT = /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;

/** The next argument is a program. */
const SHELL_FLAG = /^-[A-Za-z]*c[A-Za-z]*$/;
const CODE_FLAG = /^(?:-[a-zA-Z]*[ceEpr]|--(?:eval|print|command|run))$/;

const WRITTEN_BY_ANOTHER = unreadable('It runs what another command writes.');

/** A call of a program that reads a text as its own. */
type Reading = {
  name: string;
  args: readonly Word[];
  /** What stands before the name. */
  leading: readonly Word[];
  /** It is called for sure, not only named. */
  isRun: boolean;
  command: Command;
  before: readonly Command[];
  inside: Inspector;
};

/** For the first word of a command that names a shell or an interpreter. */
export function readAsProgram(command: Command, { commands, index, inside }: Setting): Finding | undefined {
  const { words } = command;
  const word = words.find(({ program }) => program.runsText);
  if (!word) return undefined;
  const at = words.indexOf(word);
  const isRun = at === 0 || programIn(command).wraps;
  const args = words.slice(at + 1);
  if (!isRun && args.length === 0) return undefined;
  const before = commands.slice(0, index > MOST_BEFORE ? 0 : index);
  return readBy({ name: word.name, args, leading: words.slice(0, at), isRun, command, before, inside });
}

function readBy(reading: Reading): Finding | undefined {
  const { name, args, isRun, inside } = reading;
  if (name === 'eval' || (EXPRESSIONS.has(name) && args.length > 0)) return isRun ? runs(args, inside) : undefined;
  if (name === 'source' || name === '.') return isRun ? readBySource(reading) : undefined;
  if (name === 'pwsh' || name === 'powershell') {
    if (args.some(({ text }) => /^-e(?:c|nc\w*)?$/i.test(text))) return DECODED;
    const from = args.findIndex(({ text }) => /^-c(?:ommand)?$/i.test(text));
    if (from !== -1) return runs(args.slice(from + 1), inside);
  }
  return SHELLS.has(name) ? readByShell(reading) : readByInterpreter(reading);
}

function readBySource(reading: Reading): Finding | undefined {
  const { args, inside } = reading;
  const given = args.find(({ inner }) => inner.length > 0);
  if (given) return runs([given], inside);
  return args[0] && INPUT.test(args[0].text) ? readFromInput(reading, true) : undefined;
}

function readByShell(reading: Reading): Finding | undefined {
  const { args, leading, before, inside } = reading;
  const flag = args.findIndex(({ text }) => SHELL_FLAG.test(text));
  if (flag === -1) return readFromFile(reading, true);
  const script = args.slice(flag + 1).find(({ text }) => !/^[-+]/.test(text));
  const isFed = leading.some(feeds);
  if (!script) return isFed ? (hiddenBy(before) ?? WRITTEN_BY_ANOTHER) : undefined;
  const place = isFed ? placeholderIn(leading) : '';
  return runs([place === '' ? script : { ...script, text: script.text.replaceAll(place, UNKNOWN) }], inside);
}

function readByInterpreter(reading: Reading): Finding | undefined {
  const { name, args, isRun, inside } = reading;
  for (const { text } of args) {
    const finding = inspectCode(text, inside);
    if (finding) return finding;
  }
  if (CODE_TOOLS.has(name)) return undefined;
  const flag = args.findIndex(({ text }) => CODE_FLAG.test(text));
  if (flag === -1) return readFromFile(reading, false);
  const program = args.slice(flag + 1).find(({ text }) => !/^[-+]/.test(text));
  return program && isRun ? hiddenBy(program.inner) : undefined;
}

function readFromFile(reading: Reading, byShell: boolean): Finding | undefined {
  const { args, isRun, before, inside } = reading;
  const file = args.find(({ text }) => !text.startsWith('-') && !INPUT.test(text));
  if (!file || args.some(({ text }) => text === '-s')) return isRun ? readFromInput(reading, byShell) : undefined;
  if (file.inner.length > 0) return runs([file], inside);
  return isRun ? writtenBefore(file, before, inside) : undefined;
}

/** Without a script it is read from the input. */
function readFromInput({ command, before, inside }: Reading, byShell: boolean): Finding | undefined {
  for (const { operator, target, body } of command.redirects) {
    if (operator.startsWith('<<')) {
      const text = body ?? target.text;
      if (byShell) return runs([{ text, inner: target.inner }], inside);
      return inspectCode(text, inside) ?? hiddenBy(target.inner);
    }
    if (operator === '<') return target.inner.length > 0 ? runs([target], inside) : undefined;
  }
  if (!command.piped) return undefined;
  const hidden = hiddenBy(before);
  if (hidden) return hidden;
  const printed = before.flatMap(argumentsOf);
  const isKnown = before.length > 0 && before.every(isPrinter) && !printed.some((text) => /[\\%]/.test(text));
  return byShell && isKnown ? inside.text(printed.join(' '), true) : WRITTEN_BY_ANOTHER;
}

/** What `xargs -I` puts its input in place of. */
function placeholderIn(words: readonly Word[]): string {
  const at = words.findIndex(({ text }) => /^-I/.test(text));
  return at === -1 ? '' : ((words[at]?.text.slice(2) || words[at + 1]?.text) ?? '');
}

/** Words that are read as commands. */
function runs(words: readonly Pick<Word, 'text' | 'inner'>[], inside: Inspector): Finding | undefined {
  const text = words.map((word) => word.text).join(' ');
  const finding = inside.text(text, true);
  if (finding?.kind === 'forbidden' || !text.includes(UNKNOWN)) return finding;
  return hiddenBy(words.flatMap(({ inner }) => inner)) ?? unreadable('It runs what is only known once it runs.');
}

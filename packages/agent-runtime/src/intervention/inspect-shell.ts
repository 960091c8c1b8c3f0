import { isHarmlessAtAGlance } from './at-a-glance.ts';
import type { Finding, Place } from './dangerous-commands.ts';
import { checkCommand, forbidden, isFeared, unreadable } from './dangerous-commands.ts';
import { isDevice, isEverything, isSecretPath, isSomebodys, isStartedByItself } from './sensitive-paths.ts';
import {
  baseName,
  CHANGES_FOLDER,
  CODE_TOOLS,
  DECODERS,
  DOWNLOADERS,
  givenTo,
  POWER,
  PRINTERS,
  READERS,
  runsText,
  SHELLS,
  TEXT_ONLY,
  USUAL,
  WRAPPERS,
} from './shell-names.ts';
import type { Command, ReadShell, Script, Word } from './shell-words.ts';
import { readShell } from './shell-words.ts';
import { listedPath, printsEnvironment, putTogether } from './sought-secrets.ts';
import { UNKNOWN } from './word-text.ts';

const DEEPEST = 6;
/** How many commands before one are looked at for what they hand on to it. */
const MOST_BEFORE = 200;

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
  const command: Command = {
    words: words.map((text) => ({ text, inner: [] })),
    assignments: [],
    redirects: [],
    piped: false,
  };
  return findIn({ commands: [command], faults: [] }, { isCommand: true, sure: false, depth: 0, text: '' });
}

type Setting = {
  /** What is not plain is no mere text: it is meant to be run. */
  isCommand: boolean;
  /** It is known that a shell reads it. */
  sure: boolean;
  depth: number;
  text: string;
  /** Where a `cd` right before went. */
  folder?: string;
};

/** A text that begins with a variable or a substitution is hardly anything but a command. */
const UNKNOWN_COMMAND = /^\s*\$(?:\(|\{|[A-Za-z_]\w*[ \t])[^\n]*$/;
const OWN_PATH = /^(?:\.{0,2}|~)\/\S/;
const ITSELF_AGAIN = /([\w:.]{1,40})\s{0,9}(?:\(\s{0,9}\)\s{0,9})?\{[^}]{0,200}\1\s{0,9}\|\s{0,9}\1\s{0,9}&/;
const CODE_FLAG = /^(?:-[a-zA-Z]*[ceEpr]|--(?:eval|print|command|run))$/;
/** As it is written for PowerShell: a list in parentheses is a value there. */
const RUNS_FETCHED =
  /(?:^|[ \t\r\n;|&(])(?:iex|invoke-expression)[ \t\r\n(&]{1,20}[^\n]{0,200}\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)\b/i;
const DOWNLOADED = forbidden('It runs what it downloads.');
const DECODED = forbidden('It runs what cannot be read before it is decoded.');

function inspect(text: string, sure: boolean, depth: number, read: ReadShell = readShell): Finding | undefined {
  if (depth > DEEPEST) return unreadable('Commands are hidden in commands too deeply.');
  const script = read(text);
  const first = script.commands[0]?.words[0]?.text ?? '';
  const isCommand = sure || USUAL.has(baseName(first)) || OWN_PATH.test(first) || UNKNOWN_COMMAND.test(text);
  return findIn(script, { isCommand, sure, depth, text });
}

function findIn(script: Script, setting: Setting): Finding | undefined {
  if (setting.text.includes('|') && setting.text.includes('{') && ITSELF_AGAIN.test(setting.text)) {
    return forbidden('It starts itself over and over until the machine stands still.');
  }
  if (RUNS_FETCHED.test(setting.text)) return DOWNLOADED;
  let doubt: Finding | undefined;
  if (setting.sure && script.faults.length > 0) doubt = unreadable('Part of it cannot be read as a command.');
  const { commands } = script;
  for (let index = 0; index < commands.length; index++) {
    const command = commands[index];
    if (!command) continue;
    const names = command.words.map(nameOf);
    for (const look of LOOKS) {
      const finding = look(command, setting, commands, index, names);
      if (finding?.kind === 'forbidden') return finding;
      doubt ??= finding;
    }
    if (CHANGES_FOLDER.has(names[0] ?? '')) setting.folder = inFolder(command.words[1]?.text ?? '~', setting.folder);
  }
  return doubt;
}

function inFolder(path: string, folder: string | undefined): string {
  return folder === undefined || /^[-/~\0]/.test(path) ? path : `${folder}/${path}`;
}

type Look = (
  command: Command,
  setting: Setting,
  commands: readonly Command[],
  index: number,
  names: readonly string[],
) => Finding | undefined;

const lookAtRedirects: Look = ({ redirects, words }, setting) => {
  const isCommand = setting.isCommand || USUAL.has(baseName(words[0]?.text ?? ''));
  for (const { operator, target, body } of redirects) {
    if (operator.startsWith('<<')) {
      const finding = inspect(body ?? target.text, false, setting.depth + 1);
      if (finding?.kind === 'forbidden') return finding;
    } else {
      if (isSecretPath(target.text, isCommand)) return secret(target.text);
      if (operator === '<' || operator === '<&') continue;
      if (isDevice(target.text)) return forbidden(`It writes to the device ${target.text}.`);
      if (isStartedByItself(target.text)) return startsLater(target.text);
    }
  }
  return undefined;
};

const lookAtPaths: Look = ({ words, assignments }, setting, commands, index, names) => {
  const name = names[0] ?? '';
  const isCommand = setting.isCommand || USUAL.has(name);
  if (PRINTERS.has(name)) return undefined;
  for (const { text } of assignments) if (isSecretPath(text, isCommand)) return secret(text);
  const mayWrite = isCommand && !READERS.has(name);
  const writes = WRITERS.has(name);
  if (name === 'xargs' && index <= MOST_BEFORE) {
    const listed = listedPath(commands.slice(0, index));
    if (listed !== undefined) return secret(listed);
  }
  for (let at = 0; at < words.length; at++) {
    const text = words[at]?.text ?? '';
    if (isSecretPath(text, isCommand)) return secret(text);
    const whole = at === 0 || setting.folder === undefined ? text : inFolder(text, setting.folder);
    if (whole !== text && isSecretPath(whole, isCommand)) return secret(whole);
    const inner = words[at]?.inner ?? [];
    const named = inner.length > 0 ? printedPath(inner, isCommand) : undefined;
    if (named !== undefined) return secret(named);
    if (!mayWrite || at === 0) continue;
    if (isStartedByItself(text)) return startsLater(text);
    if (writes && isDevice(text)) return forbidden(`It writes to the device ${text}.`);
  }
  return undefined;
};

/** A secret path that is printed into a word: `cat "$(echo .env)"`. */
function printedPath(inner: readonly Command[], isCommand: boolean): string | undefined {
  const printed = inner.filter(isPrinter).flatMap(({ words }) => words.slice(1).map(({ text }) => text));
  return printed.find((text) => isSecretPath(text, isCommand)) ?? listedPath(inner);
}

const lookAtEnvironment: Look = (command, { isCommand, sure }, commands, index) => {
  // The word alone may be the name of anything.
  const isRun = isCommand && (sure || commands.length > 1 || command.redirects.length > 0);
  return isRun && printsEnvironment(command, commands[index + 1]) ? ENVIRONMENT : undefined;
};

const ENVIRONMENT = forbidden('It prints the environment, where secrets are kept.');

const WRITERS = new Set(['tee', 'cp', 'mv', 'install', 'ln', 'sponge', 'sudo', 'doas']);

const lookAtNames: Look = (command, { isCommand, folder }, commands, index, names) => {
  const { words } = command;
  const name = names[0] ?? '';
  let doubt: Finding | undefined;
  const isUnknown = name.includes(UNKNOWN) || (name === '' && words[0]?.text.includes(UNKNOWN) === true);
  if (isCommand && (isUnknown || (/[*?[]/.test(name) && !/^\[\[?$/.test(name)))) {
    doubt = unreadable('It cannot be told which program it runs.');
  }
  const wraps = WRAPPERS.has(name);
  let isWrapper = wraps && !SEEKERS.has(name);
  for (let at = 0; at < names.length; at++) {
    if (at === 1 && isText(words)) break;
    isWrapper ||= wraps && /^(?:-exec|-ok|--exec|-x$|-X$)/.test(words[at]?.text ?? '');
    const feared = names[at] ?? '';
    if (!isFeared(feared) || names.indexOf(feared) < at) continue;
    if (at > 0 && !isWrapper && POWER.has(feared)) continue;
    const place: Place = at === 0 ? (isCommand ? 'command' : 'argument') : isWrapper ? 'command' : 'argument';
    const args = words.slice(at + 1).map(({ text }) => (feared === 'rm' ? inFolder(text, folder) : text));
    const isFed = names.slice(0, at).some((each) => each === 'xargs' || each === 'parallel');
    const finding = checkCommand(feared, isFed ? [...args, ...fedTo(command, commands, index)] : args, place);
    if (finding?.kind === 'forbidden') return finding;
    if (isCommand) doubt ??= finding;
  }
  return doubt;
};

/** What they look for is no command; what they are to run on it is. */
const SEEKERS = new Set(['find', 'fd']);

/** The arguments `xargs` reads: known where they are printed right there. */
function fedTo(command: Command, commands: readonly Command[], index: number): string[] {
  if (index > MOST_BEFORE) return [UNKNOWN];
  const before = commands.slice(0, index);
  const here = command.redirects.flatMap(({ operator, target, body }) =>
    operator.startsWith('<<') ? (body ?? target.text) : [],
  );
  const printed = before.filter(isPrinter).flatMap(({ words }) => words.slice(1).map(({ text }) => text));
  const known = [...here, ...printed].flatMap((text) => text.split(/\s+/)).filter((text) => text !== '');
  const isKnown = command.piped && before.every(isPrinter) && !known.some((text) => /[\\%]/.test(text));
  return isKnown ? known : [...known, UNKNOWN];
}

/** What is read as a program: by a shell, or by an interpreter. */
const lookAtScripts: Look = (command, setting, commands, index, names) => {
  const { words, assignments } = command;
  if (isText(words)) return undefined;
  const leads = WRAPPERS.has(names[0] ?? '');
  let doubt: Finding | undefined;
  const at = names.findIndex(runsText);
  if (at !== -1 && (at === 0 || leads || words.length > at + 1)) {
    const finding = program(
      command,
      at,
      setting,
      commands.slice(0, index > MOST_BEFORE ? 0 : index),
      at === 0 || leads,
    );
    if (finding?.kind === 'forbidden') return finding;
    doubt = finding;
  }
  const own = index > 0 && setting.isCommand ? words.slice(0, leads ? undefined : 1).find(isOwn) : undefined;
  const loaded = index > 0 ? [...assignments, ...words.slice(1)].find(({ text }) => LOADS.test(text)) : undefined;
  const fetched = loaded && hiddenBy(wroteBefore(baseName(loaded.text), commands.slice(0, index)));
  if (fetched) return fetched;
  const written = own && writtenBefore(own.text, commands.slice(0, index), setting);
  if (written) return written;
  for (let next = assignments.length > 0 ? -assignments.length : 1; next < words.length; next++) {
    if (next === 0) continue;
    const text = (next < 0 ? assignments.at(next) : words[next])?.text ?? '';
    if (!/[\s;|&<>`$(]/.test(text)) continue;
    for (const script of scriptsIn(text)) {
      const finding = inspect(script, false, setting.depth + 1);
      if (finding?.kind === 'forbidden') return finding;
      if (leads) doubt ??= finding;
    }
  }
  return setting.isCommand ? doubt : undefined;
};

/** The text, and what it gives to an option or a variable. */
function scriptsIn(text: string): string[] {
  const from = givenTo(text);
  return from === 0 ? [text] : [text, text.slice(from)];
}

/** A library that is put into the program. */
const LOADS = /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)=./;

/** The commands right before that name a file. */
function wroteBefore(name: string, before: readonly Command[]): Command[] {
  return before
    .slice(0, MOST_BEFORE)
    .filter(({ words, redirects }) =>
      [...words.slice(1), ...redirects.map(({ target }) => target)].some((word) => nameOf(word) === name),
    );
}

/** What is in a file that is run, where a command right before wrote it. */
function writtenBefore(file: string, before: readonly Command[], { depth }: Setting): Finding | undefined {
  const name = baseName(file);
  for (let index = Math.min(before.length, MOST_BEFORE) - 1; index >= 0; index--) {
    const command = before[index];
    if (!command) continue;
    const targets = command.redirects.filter(({ operator }) => operator.startsWith('>')).map(({ target }) => target);
    if (![...command.words.slice(1), ...targets].some((word) => nameOf(word) === name)) continue;
    let first = index;
    while (first > 0 && before[first]?.piped === true) first--;
    const wrote = before.slice(first, index + 1);
    const hidden = hiddenBy(wrote);
    if (hidden) return hidden;
    const printed = wrote.filter(isPrinter).flatMap(({ words }) => words.slice(1).map(({ text }) => text));
    const finding = inspect(printed.join(' '), true, depth + 1);
    if (finding?.kind === 'forbidden') return finding;
  }
  return undefined;
}

function isOwn({ text }: Word): boolean {
  return OWN_PATH.test(text);
}

const EXPRESSIONS = new Set(['iex', 'invoke-expression']);

const INPUT = /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;

function program(
  command: Command,
  at: number,
  setting: Setting,
  before: readonly Command[],
  isRun: boolean,
): Finding | undefined {
  const name = baseName(command.words[at]?.text ?? '');
  const args = command.words.slice(at + 1);
  if (EXPRESSIONS.has(name) && args.length > 0) return isRun ? runs(args, setting) : undefined;
  if (name === 'eval') return isRun ? runs(args, setting) : undefined;
  const given = args.find(({ inner }) => inner.length > 0);
  if (name === 'source' || name === '.') {
    if (!isRun) return undefined;
    if (given) return runs([given], setting);
    return args[0] && INPUT.test(args[0].text) ? runsInput(command, true, setting, before) : undefined;
  }
  const isFed = command.words.slice(0, at).some((word) => /^(?:xargs|parallel)$/.test(nameOf(word)));
  if (name === 'pwsh' || name === 'powershell') {
    if (args.some(({ text }) => /^-e(?:c|nc\w*)?$/i.test(text))) return DECODED;
    const from = args.findIndex(({ text }) => /^-c(?:ommand)?$/i.test(text));
    if (from !== -1) return runs(args.slice(from + 1), setting);
  }
  const isShell = SHELLS.has(name);
  if (!isShell) {
    for (const { text } of args) {
      const finding = inspectCode(text, setting.depth);
      if (finding) return finding;
    }
    if (CODE_TOOLS.has(name)) return undefined;
  }
  const flag = args.findIndex(({ text }) => (isShell ? /^-[A-Za-z]*c[A-Za-z]*$/ : CODE_FLAG).test(text));
  if (flag !== -1) {
    const script = args.slice(flag + 1).find(({ text }) => !/^[-+]/.test(text));
    if (!isShell) return script && isRun ? hiddenBy(script.inner) : undefined;
    if (!script) return isFed ? (hiddenBy(before) ?? unreadable('It runs what another command writes.')) : undefined;
    const place = isFed ? placeholder(command.words.slice(0, at)) : '';
    return runs([place === '' ? script : { ...script, text: script.text.replaceAll(place, UNKNOWN) }], setting);
  }
  const file = args.find(({ text }) => !text.startsWith('-') && !INPUT.test(text));
  if (file && !args.some(({ text }) => text === '-s')) {
    if (file.inner.length > 0) return runs([file], setting);
    return isRun ? writtenBefore(file.text, before, setting) : undefined;
  }
  return isRun ? runsInput(command, isShell, setting, before) : undefined;
}

/** What `xargs -I` puts its input in place of. */
function placeholder(words: readonly Word[]): string {
  const at = words.findIndex(({ text }) => /^-I/.test(text));
  return at === -1 ? '' : ((words[at]?.text.slice(2) || words[at + 1]?.text) ?? '');
}

/** A shell without a script reads it from its input. */
function runsInput(
  { redirects, piped }: Command,
  isShell: boolean,
  setting: Setting,
  before: readonly Command[],
): Finding | undefined {
  for (const { operator, target, body } of redirects) {
    if (operator.startsWith('<<')) {
      const text = body ?? target.text;
      if (isShell) return runs([{ text, inner: target.inner }], setting);
      return inspectCode(text, setting.depth) ?? hiddenBy(target.inner);
    }
    if (operator === '<') return target.inner.length > 0 ? runs([target], setting) : undefined;
  }
  if (!piped) return undefined;
  const hidden = hiddenBy(before);
  if (hidden) return hidden;
  const printed = before.flatMap(({ words }) => words.slice(1));
  if (isShell && before.length > 0 && before.every(isPrinter) && printed.every(({ text }) => !/[\\%]/.test(text))) {
    return inspect(printed.map(({ text }) => text).join(' '), true, setting.depth + 1);
  }
  return unreadable('It runs what another command writes.');
}

/** Words that are read as commands. */
function runs(words: readonly Word[], { depth }: Setting): Finding | undefined {
  const text = words.map((word) => word.text).join(' ');
  const finding = inspect(text, true, depth + 1);
  if (finding?.kind === 'forbidden' || !text.includes(UNKNOWN)) return finding;
  return hiddenBy(words.flatMap(({ inner }) => inner)) ?? unreadable('It runs what is only known once it runs.');
}

function hiddenBy(commands: readonly Command[]): Finding | undefined {
  const names = commands.flatMap(({ words }) => {
    const name = baseName(words[0]?.text ?? '');
    return WRAPPERS.has(name) ? words.map(({ text }) => baseName(text)) : [name];
  });
  if (names.some((name) => DOWNLOADERS.has(name))) return DOWNLOADED;
  return names.some((name) => DECODERS.has(name)) ? DECODED : undefined;
}

const LOOKS: readonly Look[] = [lookAtRedirects, lookAtPaths, lookAtEnvironment, lookAtNames, lookAtScripts];

const REMOVES = /rm_?tree|rm_?rf|rmSync|\brm\(|rmdir|removeSync|unlink|rimraf|remove_all|remove_tree/i;
const RUNS_DECODED =
  /\b(?:exec|eval|system|Function)\b[^]*(?:b64decode|fromhex|atob|base64|decode64|unhexlify|fromCharCode)/;

/**
 * Looks at a program in a language that is not read here: at the texts in it, for what they would do as commands and
 * paths.
 */
export function inspectCode(code: string, depth = 0): Finding | undefined {
  if (!/["'`]/.test(code)) return undefined;
  const texts = [...code.matchAll(/"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'|`((?:\\.|[^`\\])*)`/g)].map(
    ([, double, single, back]) => double ?? single ?? back ?? '',
  );
  for (const text of texts) {
    if (isSecretPath(text, true)) return secret(text);
    if (REMOVES.test(code) && ((isEverything(text) && !/^[.*]/.test(text)) || isSomebodys(text))) {
      return forbidden(`It removes ${text} and all that is in it.`);
    }
    const finding = inspect(text, false, depth + 1);
    if (finding?.kind === 'forbidden') return finding;
  }
  const put = putTogether(code).find((text) => isSecretPath(text, true));
  if (put !== undefined) return secret(put);
  const joined = texts.length > 1 ? inspectWords(texts) : undefined;
  if (joined?.kind === 'forbidden') return joined;
  return RUNS_DECODED.test(code) ? DECODED : undefined;
}

function isText(words: readonly Word[]): boolean {
  const name = baseName(words[0]?.text ?? '');
  return TEXT_ONLY.has(name) || (name === 'git' && /^(?:commit|tag|notes|log|grep|stash)$/.test(words[1]?.text ?? ''));
}

function isPrinter({ words }: Command): boolean {
  return PRINTERS.has(baseName(words[0]?.text ?? ''));
}

function nameOf({ text }: Word): string {
  const name = baseName(text);
  if (!name.includes(UNKNOWN)) return name;
  // What is not known may be nothing.
  const bare = name.replaceAll(UNKNOWN, '');
  return isFeared(bare) ? bare : name;
}

/** @internal */
export function secret(path: string): Finding {
  return forbidden(`It reaches ${shown(path)}, where secrets are kept.`);
}

/** @internal */
export function startsLater(path: string): Finding {
  return forbidden(`It writes to ${shown(path)}, which is run later by itself.`);
}

function shown(path: string): string {
  const seen = path.replaceAll(UNKNOWN, '?');
  return seen.length > 80 ? `${seen.slice(0, 80)}...` : seen;
}

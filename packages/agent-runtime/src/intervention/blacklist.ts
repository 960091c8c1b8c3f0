import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { Finding } from './dangerous-commands.ts';
import { forbidden, isFeared, unreadable } from './dangerous-commands.ts';
import { inspectProgram, inspectShell, inspectWords } from './inspect-shell.ts';
import { secret, startsLater } from './look-at-paths.ts';
import { isDevice, isEverything, isSecretPath, isSomebodys, isStartedByItself } from './sensitive-paths.ts';
import { isInterpreter, SHELLS, USUAL, WRAPPERS } from './shell-names.ts';
import type { ReadShell } from './read-once.ts';
import { readShell } from './shell-reader.ts';

const DEEPEST = 64;
const MOST_VALUES = 20_000;
const MOST_CHARACTERS = 1_000_000;
const LONGEST_PATH = 4_096;
const MOST_WORDS = 2_000;

/** Names that say that what is given is run. What has another name is looked at too; more of it counts as text. */
const RUNS =
  /(?:^|[_\-.\s])(?:sh|bash|zsh|shell|exec|execute|cmd|command|commands|cmdline|terminal|run|spawn|script|argv)(?:[_\-.\s]|$)/;
const CODE =
  /(?:^|[_\-.\s])(?:code|python|script|node|js|javascript|eval|evaluate|repl|source|program|exec|run)(?:[_\-.\s]|$)/;
const REMOVES = /(?:^|[_\-.\s])(?:delete|remove|rm|rmdir|unlink|erase|wipe|trash|destroy)(?:[_\-.\s]|$)/;
/** What goes with a command for a person to read. */
const TELLS = /^(?:description|reason|explanation|comment|title|summary|note|intent|purpose)$/i;

/** What is known of a tool whose call is looked at; its name may only make things worse. */
export type Suspect = { name: string; onlyReads: boolean };

/**
 * The default blacklist: what nobody wants done unasked, whatever else was allowed. Every text among the arguments is
 * looked at, at any depth and under any name. It knows what a text says, not what a server makes of it: it is no
 * sandbox.
 */
export function findDanger({ name, onlyReads }: Suspect, args: JsonValue, read?: ReadShell): Finding | undefined {
  const called = inWords(name);
  const search = new Search({
    runs: RUNS.test(called),
    code: CODE.test(called),
    removes: REMOVES.test(called),
    onlyReads,
    read: read ?? readShell,
  });
  search.lookAt(args, '', 0);
  return search.finding;
}

type Looking = { runs: boolean; code: boolean; removes: boolean; onlyReads: boolean; read: ReadShell };

class Search {
  readonly #tool: Looking;
  #values = 0;
  #characters = 0;
  finding: Finding | undefined;

  constructor(tool: Looking) {
    this.#tool = tool;
  }

  lookAt(value: JsonValue, key: string, depth: number): void {
    if (this.finding?.kind === 'forbidden') return;
    if (depth > DEEPEST || ++this.#values > MOST_VALUES || this.#characters > MOST_CHARACTERS) {
      return this.#found(unreadable('There is too much of it to look through.'));
    }
    if (typeof value === 'string') this.#text(value, key);
    else if (Array.isArray(value)) {
      if (value.length > 1) this.#words(value.filter((each) => typeof each === 'string'));
      for (const each of value) this.lookAt(each, key, depth + 1);
    } else if (isJsonObject(value)) {
      this.#fields(value);
      for (const [name, each] of Object.entries(value)) {
        if (name.length > 3) this.#path(name);
        this.lookAt(each, name, depth + 1);
      }
    }
  }

  #text(text: string, key: string): void {
    this.#characters += text.length;
    if (text.length < 2 && text !== '/' && text !== '~') return;
    const { runs, code, removes, read } = this.#tool;
    const called = inWords(key);
    this.#path(text);
    if (removes && /^[/~%]|^[a-z]:/i.test(text) && (isEverything(text) || isSomebodys(text))) {
      this.#found(forbidden(`It removes ${text} and all that is in it.`));
    }
    this.#found(inspectShell(text, RUNS.test(called) || (runs && !TELLS.test(key)), read));
    if (code || CODE.test(called)) this.#found(inspectProgram(text));
  }

  #path(text: string): void {
    if (text.length > LONGEST_PATH || text.includes('\n')) return;
    if (isSecretPath(text, true)) return this.#found(secret(text));
    // A line of a shell is looked at word by word.
    if (this.#tool.onlyReads || isLine(text)) return;
    if (isStartedByItself(text)) this.#found(startsLater(text));
    else if (isDevice(text)) this.#found(forbidden(`It works on the device ${text}.`));
  }

  /** A command may come in pieces: the program here, what it is given there. */
  #fields(fields: Record<string, JsonValue>): void {
    const values = Object.values(fields);
    if (values.length < 2) return;
    for (const [index, value] of values.entries()) {
      if (!isProgram(firstWordIn(value))) continue;
      const others = values.filter((_other, at) => at !== index);
      this.#words([...wordsIn(value), ...others.flatMap(wordsIn)]);
    }
  }

  #words(words: readonly string[]): void {
    if (words.length > MOST_WORDS) this.#found(unreadable('There is too much of it to look through.'));
    else if (words.length > 1) this.#found(inspectWords(words));
  }

  #found(finding: Finding | undefined): void {
    if (finding?.kind === 'forbidden' || this.finding === undefined) this.finding = finding ?? this.finding;
  }
}

function firstWordIn(value: JsonValue): string {
  const first = Array.isArray(value) ? value[0] : value;
  if (typeof first !== 'string') return '';
  const word = /^\s*(\S{1,200})/.exec(first)?.[1] ?? '';
  return word.slice(word.lastIndexOf('/') + 1).toLowerCase();
}

function isLine(text: string): boolean {
  return USUAL.has(/^\s*(\S{1,200})\s/.exec(text)?.[1] ?? '');
}

function isProgram(name: string): boolean {
  return isFeared(name) || SHELLS.has(name) || WRAPPERS.has(name) || isInterpreter(name);
}

function wordsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return value.length > LONGEST_PATH ? [] : value.trim().split(/\s+/);
  if (!Array.isArray(value) || value.length > MOST_WORDS) return [];
  return value.filter((each) => typeof each === 'string');
}

/** `runCommand` and `run_command` are the same words. */
function inWords(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

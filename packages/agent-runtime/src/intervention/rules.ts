import type { InterventionRule, JsonObject, JsonValue, ToolReference } from '@toolyard/protocol';
import { formatToolReference, isJsonObject } from '@toolyard/protocol';
import { globOf } from './globs.ts';
import type { LiteralText } from './literal-text.ts';
import { readLiterally } from './literal-text.ts';
import { normalPath } from './sensitive-paths.ts';
import type { ReadShell } from './read-once.ts';
import { readShell } from './shell-reader.ts';
import type { Command } from './shell-script.ts';
import { emptyCommand } from './shell-script.ts';
import { UNKNOWN } from './word-text.ts';
import { holds, OF_WHOLE_PATHS, wordOf } from './words.ts';

/** What the owner trusts a tool to be; of a server that is not trusted nothing counts. */
export type TrustedHints = { readOnly: boolean; destructive: boolean };

const DEEPEST = 64;

/**
 * What the rules say about a call: the strictest of those that fit it, whatever their order; undefined where none
 * does.
 */
export function decideByRules(
  rules: readonly InterventionRule[],
  tool: ToolReference,
  args: JsonObject,
  hints: TrustedHints,
  read: ReadShell = readShell,
): InterventionRule['decision'] | undefined {
  if (rules.length === 0) return undefined;
  const facts = new CallFacts(tool, args, hints, read);
  let decided: InterventionRule['decision'] | undefined;
  for (const rule of rules) {
    if (decided === rule.decision || (decided !== undefined && rule.decision === 'allow')) continue;
    if (!fits(rule, facts)) continue;
    if (rule.decision === 'never') return 'never';
    decided = rule.decision;
  }
  return decided;
}

/** A rule that allows has to fit the whole call, one that does not only a part of it. */
function fits(rule: InterventionRule, facts: CallFacts): boolean {
  const { tool, readOnly, destructive, argument, command, outside, inside } = rule;
  if (tool !== undefined && !globOf(tool)(facts.reference)) return false;
  if (readOnly !== undefined && readOnly !== facts.hints.readOnly) return false;
  if (destructive !== undefined && destructive !== facts.hints.destructive) return false;
  const allows = rule.decision === 'allow';
  if (argument !== undefined) {
    const glob = globOf(argument);
    const matches = (text: string): boolean => glob(text) && (!allows || glob(normalPath(text)));
    const { texts } = facts;
    if (allows ? texts.length === 0 || !texts.every(matches) : !facts.all.some(matches)) return false;
  }
  if (command !== undefined && !(allows ? facts.isPlainly(command) : facts.holds(command))) return false;
  if (outside !== undefined && !facts.texts.some((text) => facts.pathsIn(text).some((path) => !lies(path, outside)))) {
    return false;
  }
  if (inside !== undefined) {
    const paths = facts.texts.flatMap((text) => facts.pathsIn(text));
    // A call that names no whole path may take effect anywhere.
    if (paths.length === 0 || !paths.every((path) => lies(path, inside))) return false;
  }
  return true;
}

/** What the rules look at, found out once and only where one asks for it. */
class CallFacts {
  readonly reference: string;
  readonly hints: TrustedHints;
  readonly #args: JsonObject;
  #texts: string[] | null = null;
  #all: string[] | null = null;
  readonly #commands = new Map<string, readonly NamedCommand[]>();
  readonly #literal = new Map<string, LiteralText | null>();
  readonly #paths = new Map<string, readonly string[]>();
  readonly #read: ReadShell;

  constructor(tool: ToolReference, args: JsonObject, hints: TrustedHints, read: ReadShell) {
    this.reference = formatToolReference(tool);
    this.#args = args;
    this.hints = hints;
    this.#read = read;
  }

  /** Every text among the values, at any depth; the shortest first, for that is soon read. */
  get texts(): string[] {
    this.#texts ??= collect(this.#args, { names: false }).sort((a, b) => a.length - b.length);
    return this.#texts;
  }

  /** The names and numbers as well. */
  get all(): string[] {
    this.#all ??= collect(this.#args, { names: true });
    return this.#all;
  }

  /** True where all there is are commands of this pattern, and plain ones. */
  isPlainly(pattern: string): boolean {
    const glob = globOf(pattern);
    let isAny = false;
    for (const text of this.texts) {
      for (const command of this.#commandsIn(text)) {
        if (!glob(command.text) || !isPlain(command)) return false;
        isAny = true;
      }
    }
    return isAny;
  }

  /** True where one of the commands is of this pattern. */
  holds(pattern: string): boolean {
    const glob = globOf(pattern);
    const name = /^[\w-]+/.exec(pattern)?.[0] ?? '';
    return this.texts.some((text) => {
      if (name !== '' && this.#literally(text)?.bare.includes(name) === false) return false;
      return this.#commandsIn(text).some((command) => glob(command.text));
    });
  }

  /** What of a text may be a path: the whole, or the words of a command. */
  pathsIn(text: string): readonly string[] {
    let paths = this.#paths.get(text);
    if (paths === undefined) {
      paths = this.#literally(text)?.mayHoldPath === false ? [] : pathsIn(text, this.#read);
      this.#paths.set(text, paths);
    }
    return paths;
  }

  #commandsIn(text: string): readonly NamedCommand[] {
    let found = this.#commands.get(text);
    if (found === undefined) {
      const { commands, faults } = this.#read(text);
      const all = faults.length === 0 ? commands : [...commands, UNREADABLE];
      found = all.map((command) => ({ command, text: wordsOf(command) }));
      this.#commands.set(text, found);
    }
    return found;
  }

  #literally(text: string): LiteralText | null {
    let known = this.#literal.get(text);
    if (known === undefined) {
      known = readLiterally(text);
      this.#literal.set(text, known);
    }
    return known;
  }
}

type NamedCommand = { command: Command; text: string };

/** Fits nothing that allows. */
const UNREADABLE: Command = { ...emptyCommand(), words: [wordOf(UNKNOWN)] };

function collect(value: JsonValue, what: { names: boolean }, into: string[] = [], depth = 0): string[] {
  if (depth > DEEPEST) into.push(UNKNOWN);
  else if (typeof value === 'string') into.push(value);
  else if (Array.isArray(value)) for (const each of value) collect(each, what, into, depth + 1);
  else if (isJsonObject(value)) {
    for (const [name, each] of Object.entries(value)) {
      if (what.names) into.push(name);
      collect(each, what, into, depth + 1);
    }
  } else if (what.names && value !== null) into.push(String(value));
  return into;
}

function wordsOf({ words }: Command): string {
  let all = words[0]?.text ?? '';
  for (let at = 1; at < words.length; at++) all += ` ${words[at]?.text ?? ''}`;
  return all;
}

/** Nothing but this command: it writes to no file, and nothing in it is known only once it runs. */
function isPlain({ command, text }: NamedCommand): boolean {
  return (
    !text.includes(UNKNOWN) &&
    command.assignments.length === 0 &&
    command.redirects.every(({ operator, target }) => /&$/.test(operator) || target.text === '/dev/null')
  );
}

/** Something that every path which says where it lies has. */
const MAYBE_PATH = new RegExp(`[/\\\\~${UNKNOWN}]|\\.\\.`);

/** What of a text may be a path: the whole, or the words of a command. */
function pathsIn(text: string, read: ReadShell): string[] {
  const words = /\s/.test(text) ? read(text).commands.flatMap(pathWords) : [text];
  return words
    .filter((word) => MAYBE_PATH.test(word))
    .flatMap((word) => [word, ...(/[=:@]/.test(word) ? word.split(/[=:@]/) : [])])
    .map((word) => word.replace(/^file:(?:\/\/)?/, ''))
    .filter((word) => /^[/~\\]|^[A-Za-z]:[\\/]|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(word) || word.startsWith(UNKNOWN));
}

function pathWords({ words, redirects }: Command): string[] {
  const all = redirects.length === 0 ? words : [...words, ...redirects.map(({ target }) => target)];
  return all.filter((word) => holds(word, OF_WHOLE_PATHS)).map(({ text }) => text);
}

/** Relative paths are those of the folder itself. */
function lies(path: string, folder: string): boolean {
  const slashed = path.replaceAll('\\', '/');
  if (slashed.startsWith(UNKNOWN)) return false;
  const home = normalPath(folder).replace(/\/$/, '');
  const whole = /^[/~]|^[A-Za-z]:/.test(slashed) ? normalPath(slashed) : normalPath(`${home}/${slashed}`);
  return whole === home || whole.startsWith(`${home}/`);
}

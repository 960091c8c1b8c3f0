import type { InterventionRule } from '@toolyard/protocol';
import type { CallFacts, Field } from './call-facts.ts';
import { globOf } from './globs.ts';
import type { PathOptions, Readings } from './resolved-path.ts';
import { liesIn, readingsOf } from './resolved-path.ts';
import { normalPath } from './sensitive-paths.ts';
import { LONGEST_SCRIPT } from './shell-reader.ts';
import type { Script, SimpleCommand } from './shell-script.ts';
import { hasUnknown, isDynamic } from './shell-text.ts';

/** What the owner trusts a tool to be; of a server that is not trusted nothing counts. */
export type TrustedHints = { readOnly: boolean; destructive: boolean };

type Decision = InterventionRule['decision'];

/**
 * What the rules say about a call: the strictest of those that match, whatever their order; undefined where none does.
 */
export function decideByRules(
  rules: readonly InterventionRule[],
  facts: CallFacts,
  hints: TrustedHints,
): Decision | undefined {
  let decided: Decision | undefined;
  for (const rule of rules) {
    if (decided === rule.decision || (decided !== undefined && rule.decision === 'allow')) continue;
    if (!matches(rule, facts, hints)) continue;
    if (rule.decision === 'never') return 'never';
    decided = rule.decision;
  }
  return decided;
}

/** A rule that allows has to match the whole call, one that does not only a part of it. */
function matches(rule: InterventionRule, facts: CallFacts, hints: TrustedHints): boolean {
  const { tool, readOnly, destructive, argument, command, outside, inside } = rule;
  const allows = rule.decision === 'allow';
  if (tool !== undefined && !globOf(tool)(facts.reference)) return false;
  if (readOnly !== undefined && readOnly !== hints.readOnly) return false;
  if (destructive !== undefined && destructive !== hints.destructive) return false;
  // Of a call that is too long to look through only a part is known.
  if (facts.isTooMuch && allows && (argument ?? command ?? inside) !== undefined) return false;
  if (argument !== undefined && !matchesArgument(argument, facts, allows)) return false;
  if (command !== undefined && !(allows ? isOnly(command, facts) : runs(command, facts))) return false;
  if (outside !== undefined && !reachesOutside(outside, facts)) return false;
  return inside === undefined || staysInside(inside, facts);
}

function matchesArgument(pattern: string, { fields, all }: CallFacts, allows: boolean): boolean {
  const glob = globOf(pattern);
  if (!allows) return all.some(glob);
  return fields.length > 0 && fields.every(({ text }) => glob(text) && glob(withoutDots(text)));
}

function withoutDots(path: string): string {
  if (!path.includes('/..')) return path;
  const [reading = path] = readingsOf(path, { workingFolder: '/' }).paths;
  return reading;
}

/** The texts of a call that may be commands; plain prose only where it holds the name of the program. */
function scriptsOf(facts: CallFacts, program: string): Script[] {
  const { fields, wordLists } = facts;
  const texts = fields.filter(
    ({ role, text }) =>
      role === 'command' ||
      ((role === 'unknown' || role === 'path') &&
        /\s|[;|&`$]/.test(text) &&
        (text.includes(program) || text.length > LONGEST_SCRIPT || !facts.isProse(text))),
  );
  return [...texts.map((field) => facts.scriptIn(field)), ...wordLists.map((list) => facts.scriptOf(list))];
}

/** True where all there is are commands of this pattern, and plain ones. */
function isOnly(pattern: string, facts: CallFacts): boolean {
  const glob = globOf(pattern);
  const given = facts.fields.filter(
    ({ role }) => role === 'command' || role === 'unknown' || role === 'code' || role === 'query',
  );
  // Words in pieces are one command, and may not be taken one by one.
  const isInPieces = facts.wordLists.some(({ isCertain }) => isCertain);
  let isAny = false;
  for (const each of isInPieces ? facts.wordLists : given) {
    const { commands, fault, finding } = 'words' in each ? facts.scriptOf(each) : facts.scriptIn(each);
    if (fault !== undefined || finding !== undefined) return false;
    if (!commands.every((command) => isPlain(command) && fits(glob, textOf(command)))) return false;
    isAny ||= commands.length > 0;
  }
  return isAny;
}

/** Nothing but this command: it writes to no file, and nothing in it is known only once it runs. */
function isPlain({ words, assignments, redirects }: SimpleCommand): boolean {
  return (
    words[0] !== '' &&
    !words[0]?.includes('/') &&
    !words.some(hasUnknown) &&
    assignments.length === 0 &&
    redirects.every(({ operator, target }) => /&$/.test(operator) || target === '/dev/null')
  );
}

/** True where one of the commands, or one that they run, is of this pattern. */
function runs(pattern: string, facts: CallFacts): boolean {
  const glob = globOf(pattern);
  const [program = ''] = /^[\w.+-]*/.exec(pattern) ?? [];
  return scriptsOf(facts, program).some(({ commands }) =>
    commands.some((command) => [...formsOf(command)].some((form) => fits(glob, form)) || mayBe(command, pattern)),
  );
}

/** `git push *` also means `git push` alone. */
function fits(glob: (text: string) => boolean, text: string): boolean {
  return glob(text) || glob(`${text} `);
}

function textOf({ program, args }: SimpleCommand): string {
  return [program, ...args].join(' ');
}

/** A command as it is written, by its base name, and without the options before its subcommand. */
function* formsOf(command: SimpleCommand): Generator<string> {
  const { words, program, args } = command;
  yield words.join(' ');
  yield textOf(command);
  for (let at = 0; at < Math.min(args.length, 12); at++) {
    const isValue = args[at - 1]?.startsWith('-') === true;
    if (!args[at]?.startsWith('-') && at > 0) yield [program, ...args.slice(at)].join(' ');
    if (!args[at]?.startsWith('-') && !isValue) return;
  }
}

/** A program that is named by a pattern may be the one that a rule names. */
function mayBe({ program, words }: SimpleCommand, pattern: string): boolean {
  if (!isDynamic(program) || /^\[\[?$/.test(words[0] ?? '')) return false;
  const name = /^[\w.+-]+/.exec(pattern)?.[0] ?? '';
  return name === '' || globOf(program.replace(/\[[^\]]*\]/g, '?').replace(/[\0\u0001]/g, '*'))(name);
}

/** The words of commands, and the arguments, that are paths. `isBound`: it is one for certain. */
function* pathsIn(facts: CallFacts): Generator<Readings & { text: string }> {
  const { resolvePath } = facts.surroundings;
  for (const field of facts.fields) {
    const { text, role } = field;
    const options: PathOptions = { workingFolder: folderOf(field, facts), resolvePath };
    if (role === 'path' || role === 'folder') {
      const isFolder = role === 'folder' && text === field.folder;
      yield {
        text,
        ...readingsOf(text, isFolder ? { ...options, workingFolder: facts.surroundings.workingFolder } : options),
      };
    } else if (role === 'url' && /^file:/i.test(text)) yield { text, ...readingsOf(text, options) };
    else if (role === 'unknown' && /\s/.test(text) && facts.isProse(text) && !NAMES_FOLDER.test(text)) continue;
    else if (role === 'command' || (role === 'unknown' && /\s/.test(text)))
      yield* pathsOfScript(facts.scriptIn(field), options, role === 'command');
    else if (role === 'unknown' && LOOKS_LIKE_PATH.test(text)) yield { text, ...readingsOf(text, options) };
  }
  for (const list of facts.wordLists) {
    if (list.isCertain)
      yield* pathsOfScript(
        facts.scriptOf(list),
        { workingFolder: list.folder ?? facts.surroundings.workingFolder, resolvePath },
        true,
      );
  }
}

const NAMES_FOLDER = /(?:^|\s)\.{1,2}(?:\s|$)/;

const LOOKS_LIKE_PATH = /^[/~\\]|^[A-Za-z]:[\\/]|^\.{1,2}(?:$|[/\\])|^[^\s:?&=]*[/\\][^\s:?&=]*$|[\0\u0001]/;

function folderOf({ folder }: Field, { surroundings }: CallFacts): string | undefined {
  if (folder === undefined) return surroundings.workingFolder;
  const [whole] = readingsOf(folder, { workingFolder: surroundings.workingFolder }).paths;
  return whole;
}

function* pathsOfScript(
  { commands, fault }: Script,
  options: PathOptions,
  isCommand: boolean,
): Generator<Readings & { text: string }> {
  if (fault !== undefined && isCommand) yield { text: '', paths: [], unresolved: true };
  for (const { args, redirects, folder } of commands) {
    const here =
      folder === undefined || folder === options.workingFolder
        ? options
        : { ...options, workingFolder: readingsOf(folder, options).paths[0] };
    for (const word of [
      ...args,
      ...redirects.filter(({ operator }) => !operator.startsWith('<<')).map(({ target }) => target),
    ]) {
      for (const text of [word, ...(/[=:@]/.test(word) ? word.split(/[=:@]/) : [])]) {
        if (hasUnknown(text) || /[/\\~]|^\.{1,2}$/.test(text)) yield { text, ...readingsOf(text, here) };
      }
    }
  }
}

function reachesOutside(folder: string, facts: CallFacts): boolean {
  const { resolvePath } = facts.surroundings;
  for (const { text, paths, unresolved } of pathsIn(facts)) {
    if (paths.some((path) => !liesIn(path, folder, resolvePath))) return true;
    // Where the working folder is not known, a relative path is taken to be in it.
    if (unresolved && /^[/~]|^[A-Za-z]:|^\.\.(?:\/|$)|[\0\u0001]/.test(normalPath(text.replaceAll('\\', '/'))))
      return true;
  }
  return false;
}

function staysInside(folder: string, facts: CallFacts): boolean {
  const { resolvePath } = facts.surroundings;
  let isAny = false;
  for (const { paths, unresolved } of pathsIn(facts)) {
    if (unresolved || paths.some((path) => !liesIn(path, folder, resolvePath))) return false;
    isAny = true;
  }
  // A call that names no path may take effect anywhere, and so may a command by the words that are none.
  return isAny && !facts.fields.some(({ role }) => role === 'code' || role === 'query');
}

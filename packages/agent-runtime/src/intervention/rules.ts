import type { InterventionRule } from '@toolyard/protocol';
import type { CallFacts, Field } from './call-facts.ts';
import { globOf, matchesGlob } from './globs.ts';
import type { PathOptions, PathCandidates } from './resolved-path.ts';
import { isInFolder, pathCandidates } from './resolved-path.ts';
import { normalPath } from './sensitive-paths.ts';
import { MAX_SCRIPT_LENGTH } from './shell-reader.ts';
import type { ShellScript, SimpleCommand } from './shell-script.ts';
import { hasUnknown, isDynamic } from './shell-text.ts';

/** The annotations that count: those of trusted servers and built-in tools. */
export type TrustedHints = { readOnly: boolean; destructive: boolean };

type Decision = InterventionRule['decision'];

type Condition = (facts: CallFacts, hints: TrustedHints) => boolean;

/**
 * Compiles rules. The result returns the strictest decision of the rules that match a call, whatever their order;
 * undefined if none matches.
 */
export function compileRules(
  rules: readonly InterventionRule[],
): (facts: CallFacts, hints: TrustedHints) => Decision | undefined {
  const compiled = rules.map((rule) => ({ decision: rule.decision, conditions: conditionsOf(rule) }));
  return (facts, hints) => {
    let decided: Decision | undefined;
    for (const { decision, conditions } of compiled) {
      if (decided === decision || (decided !== undefined && decision === 'allow')) continue;
      if (!conditions.every((matches) => matches(facts, hints))) continue;
      if (decision === 'never') return 'never';
      decided = decision;
    }
    return decided;
  };
}

/** A rule that allows must match the whole call, any other rule only a part of it. */
function conditionsOf(rule: InterventionRule): Condition[] {
  const { tool, readOnly, destructive, argument, command, host, outside, inside } = rule;
  const allows = rule.decision === 'allow';
  const conditions: Condition[] = [];
  if (tool !== undefined) {
    const glob = globOf(tool);
    conditions.push(({ reference }) => glob(reference));
  }
  if (readOnly !== undefined) conditions.push((_facts, hints) => hints.readOnly === readOnly);
  if (destructive !== undefined) conditions.push((_facts, hints) => hints.destructive === destructive);
  // A call that is too large is not known completely.
  if (allows && (argument ?? command ?? host ?? inside) !== undefined) conditions.push(({ isTooLarge }) => !isTooLarge);
  if (argument !== undefined) {
    const glob = globOf(argument);
    conditions.push(
      allows
        ? ({ fields }) => fields.length > 0 && fields.every(({ text }) => glob(text) && glob(withoutDots(text)))
        : ({ all }) => all.some(glob),
    );
  }
  if (command !== undefined) {
    const pattern = { glob: globOf(command), program: /^[\w.+-]*/.exec(command)?.[0] ?? '' };
    conditions.push((facts) => (allows ? isOnly(pattern, facts) : runs(pattern, facts)));
  }
  if (host !== undefined) conditions.push(hostCondition(host, allows));
  if (outside !== undefined) conditions.push((facts) => reachesOutside(outside, facts));
  if (inside !== undefined) conditions.push((facts) => staysInside(inside, facts));
  return conditions;
}

/** An allowing rule matches only if each text of the call is a URL at such a host: the call reaches nothing else. */
function hostCondition(pattern: string, allows: boolean): Condition {
  const glob = globOf(pattern.toLowerCase());
  const isThere = (text: string): boolean => {
    const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : null;
    return url !== null && url.username === '' && url.password === '' && glob(url.hostname);
  };
  if (allows) return ({ fields }) => fields.length > 0 && fields.every(({ text }) => isThere(text));
  return ({ all }) => all.some((text) => [...text.matchAll(/https?:[^\s"'<>]+/gi)].some(([url]) => isThere(url)));
}

/** A pattern of commands, and the literal prefix of its program. */
type CommandPattern = { glob: (text: string) => boolean; program: string };

function withoutDots(path: string): string {
  if (!path.includes('/..')) return path;
  const [reading = path] = pathCandidates(path, { workingFolder: '/' }).paths;
  return reading;
}

/** The texts of a call that may be commands; prose only if it contains the name of the program. */
function scriptsOf(facts: CallFacts, program: string): ShellScript[] {
  const { fields, wordLists } = facts;
  const texts = fields.filter((field) => {
    const { role, text } = field;
    if (role === 'command') return true;
    if (role !== 'unknown' && role !== 'path') return false;
    return /\s|[;|&`$]/.test(text) && !isOtherProse(field, program, facts);
  });
  return [...texts.map((field) => facts.scriptIn(field)), ...wordLists.map((list) => facts.scriptOf(list))];
}

/** True if the call consists only of plain commands of this pattern. */
function isOnly({ glob, program }: CommandPattern, facts: CallFacts): boolean {
  const otherFields = facts.fields.filter(
    ({ role }) => role === 'command' || role === 'unknown' || role === 'code' || role === 'query',
  );
  // Split words form one command and must not be checked separately.
  const isInPieces = facts.wordLists.some(({ isCertain }) => isCertain);
  let isAny = false;
  for (const each of isInPieces ? facts.wordLists : otherFields) {
    if ('role' in each && isOtherProse(each, program, facts)) return false;
    const { commands, fault, finding } = 'words' in each ? facts.scriptOf(each) : facts.scriptIn(each);
    if (fault !== undefined || finding !== undefined) return false;
    if (!commands.every((command) => isPlain(command) && fits(glob, textOf(command)))) return false;
    isAny ||= commands.length > 0;
  }
  return isAny;
}

/** True for prose without the name of the program: it need not be parsed. */
function isOtherProse({ role, text }: Field, program: string, facts: CallFacts): boolean {
  if (role === 'command' || text.length > MAX_SCRIPT_LENGTH || text.includes(program)) return false;
  return /\w/.test(text) && facts.isProse(text);
}

/** A command without effects besides its own: no redirect to a file, nothing that is unknown in advance. */
function isPlain({ words, assignments, redirects }: SimpleCommand): boolean {
  return (
    words[0] !== '' &&
    !words[0]?.includes('/') &&
    !words.some(hasUnknown) &&
    assignments.length === 0 &&
    redirects.every(({ operator, target }) => /&$/.test(operator) || target === '/dev/null')
  );
}

/** True if one of the commands, or one that they run, matches the pattern. */
function runs(pattern: CommandPattern, facts: CallFacts): boolean {
  return scriptsOf(facts, pattern.program).some(({ commands }) =>
    commands.some((command) => isOf(pattern, command) || mayBe(command, pattern.program)),
  );
}

function isOf({ glob, program }: CommandPattern, command: SimpleCommand): boolean {
  // All forms begin with the program.
  if (!command.program.startsWith(program) && command.words[0]?.startsWith(program) !== true) return false;
  return formsOf(command).some((form) => fits(glob, form));
}

/** `git push *` also matches `git push` alone. */
function fits(glob: (text: string) => boolean, text: string): boolean {
  return glob(text) || glob(`${text} `);
}

function textOf({ program, args }: SimpleCommand): string {
  return [program, ...args].join(' ');
}

/** Forms of a command: as written, by its base name, and without the options before its subcommand. */
function formsOf(command: SimpleCommand): string[] {
  const { words, program, args } = command;
  const forms = [words.join(' '), textOf(command)];
  for (let at = 0; at < Math.min(args.length, 12); at++) {
    const isOption = args[at]?.startsWith('-') === true;
    if (!isOption && at > 0) forms.push([program, ...args.slice(at)].join(' '));
    // A word after an option may be its value.
    if (!isOption && args[at - 1]?.startsWith('-') !== true) break;
  }
  return forms;
}

/** A program with unknown parts may be the one that a rule names. */
function mayBe({ program, words }: SimpleCommand, name: string): boolean {
  if (!isDynamic(program) || /^\[\[?$/.test(words[0] ?? '')) return false;
  return name === '' || matchesGlob(program.replace(/\[[^\]]*\]/g, '?').replace(/[\0\u0001]/g, '*'), name);
}

/** Words of commands and arguments that are paths. `isBound`: certainly a path. */
function* pathsIn(facts: CallFacts): Generator<PathCandidates & { text: string }> {
  const { resolvePath } = facts.surroundings;
  for (const field of facts.fields) {
    const { text, role } = field;
    const options: PathOptions = { workingFolder: folderOf(field, facts), resolvePath };
    if (role === 'path' || role === 'folder') {
      const isFolder = role === 'folder' && text === field.folder;
      yield {
        text,
        ...pathCandidates(text, isFolder ? { ...options, workingFolder: facts.surroundings.workingFolder } : options),
      };
    } else if (role === 'url' && /^file:/i.test(text)) yield { text, ...pathCandidates(text, options) };
    else if (role === 'unknown' && /\s/.test(text) && facts.isProse(text) && !NAMES_FOLDER.test(text)) continue;
    else if (role === 'command' || (role === 'unknown' && /\s/.test(text)))
      yield* pathsOfScript(facts.scriptIn(field), options, role === 'command');
    else if (role === 'unknown' && LOOKS_LIKE_PATH.test(text)) yield { text, ...pathCandidates(text, options) };
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

const NAMES_FOLDER = /(?<!\S)\.{1,2}(?!\S)/;

const LOOKS_LIKE_PATH = /^[/~\\]|^[A-Za-z]:[\\/]|^\.{1,2}(?:$|[/\\])|^[^\s:?&=]*[/\\][^\s:?&=]*$|[\0\u0001]/;

function folderOf({ folder }: Field, { surroundings }: CallFacts): string | undefined {
  if (folder === undefined) return surroundings.workingFolder;
  const [whole] = pathCandidates(folder, { workingFolder: surroundings.workingFolder }).paths;
  return whole;
}

function* pathsOfScript(
  { commands, fault }: ShellScript,
  options: PathOptions,
  isCommand: boolean,
): Generator<PathCandidates & { text: string }> {
  if (fault !== undefined && isCommand) yield { text: '', paths: [], unresolved: true };
  for (const { args, redirects, folder } of commands) {
    const here =
      folder === undefined || folder === options.workingFolder
        ? options
        : { ...options, workingFolder: pathCandidates(folder, options).paths[0] };
    for (const word of [
      ...args,
      ...redirects.filter(({ operator }) => !operator.startsWith('<<')).map(({ target }) => target),
    ]) {
      for (const text of [word, ...(/[=:@]/.test(word) ? word.split(/[=:@]/) : [])]) {
        if (hasUnknown(text) || /[/\\~]|^\.{1,2}$/.test(text)) yield { text, ...pathCandidates(text, here) };
      }
    }
  }
}

function reachesOutside(folder: string, facts: CallFacts): boolean {
  const { resolvePath } = facts.surroundings;
  for (const { text, paths, unresolved } of pathsIn(facts)) {
    if (paths.some((path) => !isInFolder(path, folder, resolvePath))) return true;
    // Without a known working folder a relative path counts as inside it.
    if (unresolved && /^[/~]|^[A-Za-z]:|^\.\.(?:\/|$)|[\0\u0001]/.test(normalPath(text.replaceAll('\\', '/'))))
      return true;
  }
  return false;
}

function staysInside(folder: string, facts: CallFacts): boolean {
  const { resolvePath } = facts.surroundings;
  let isAny = false;
  for (const { paths, unresolved } of pathsIn(facts)) {
    if (unresolved || paths.some((path) => !isInFolder(path, folder, resolvePath))) return false;
    isAny = true;
  }
  // A call without paths may take effect anywhere, and so may code and queries.
  return isAny && !facts.fields.some(({ role }) => role === 'code' || role === 'query');
}

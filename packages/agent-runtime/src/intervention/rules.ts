import type { InterventionRule } from '@toolyard/protocol';
import { foldCase, hostName, hostsNamedIn, isPlainText, normalHost, plainWebUrl } from '@toolyard/protocol';
import type { CallFacts, Field } from './call-facts.ts';
import { splitWords } from './call-facts.ts';
import { isPlainGit } from './git-dangers.ts';
import { globInside, matchesGlob } from './globs.ts';
import { LISTERS, namesEffect, TEXT_ONLY } from './programs.ts';
import type { PathOptions, PathCandidates, ResolvePath } from './resolved-path.ts';
import { createFolderMatcher, pathCandidates } from './resolved-path.ts';
import { normalPath } from './sensitive-paths.ts';
import { MAX_SCRIPT_LENGTH, readShell } from './shell-reader.ts';
import type { ShellScript, SimpleCommand } from './shell-script.ts';
import { baseName, hasUnknown, isDynamic } from './shell-text.ts';

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
  const compiled = (['never', 'ask', 'allow'] as const).flatMap((decision) =>
    rules.filter((rule) => rule.decision === decision).map((rule) => ({ decision, conditions: listConditions(rule) })),
  );
  return (facts, hints) => {
    const first = compiled.find(({ conditions }) => conditions.every((matches) => matches(facts, hints)));
    return first?.decision;
  };
}

/**
 * Allow narrow, forbid wide: a rule that allows must account for the whole call as it is written; any other rule matches
 * if some reading of a part of the call fits.
 */
function listConditions(rule: InterventionRule): Condition[] {
  const { tool, readOnly, destructive, argument, command, host, outside, inside } = rule;
  const allows = rule.decision === 'allow';
  const conditions: Condition[] = [];
  if (tool !== undefined) {
    const glob = createMatcher(tool);
    conditions.push(({ reference }) => glob(reference));
  }
  if (readOnly !== undefined) conditions.push((_facts, hints) => hints.readOnly === readOnly);
  if (destructive !== undefined) conditions.push((_facts, hints) => hints.destructive === destructive);
  // A call that is too large is not known completely.
  if (allows && (argument ?? command ?? host ?? inside) !== undefined) conditions.push(({ isTooLarge }) => !isTooLarge);
  if (argument !== undefined) conditions.push(argumentCondition(argument, allows));
  if (command !== undefined) {
    const pattern = { text: command, glob: createMatcher(command), program: /^[\w.+-]*/.exec(command)?.[0] ?? '' };
    conditions.push((facts) => (allows ? isOnly(pattern, facts) : runs(pattern, facts)));
  }
  if (host !== undefined) conditions.push(hostCondition(host, allows));
  if (outside !== undefined) conditions.push((facts) => reachesOutside(outside, facts));
  // Where a command works says nothing about what it runs.
  if (inside !== undefined) conditions.push((facts) => staysInside(inside, facts, command !== undefined));
  return conditions;
}

const createMatcher = (pattern: string) => (text: string) => matchesGlob(pattern, text);

/** What an allowing rule must account for: every text of the call, and every name that is more than a name. */
function textsIn({ fields, names }: CallFacts): string[] {
  return [...fields.map(({ text }) => text), ...names.filter((name) => !/^[\p{L}\p{N}_$ -]*$/u.test(name))];
}

/** A path through the parent folder: it leads elsewhere than a pattern says. */
const CLIMBS = /(?:^|[\s,;:|/\\])\.\.(?:$|[\s,;:|/\\])/;

/** Allowed are the whole text and each of its lines; forbidden is the pattern anywhere, in every spelling. */
function argumentCondition(pattern: string, allows: boolean): Condition {
  if (!allows) {
    const isWithin = globInside(pattern);
    return ({ words, isPlain }) => words.some((text) => isWithin(text, isPlain));
  }
  const glob = createMatcher(pattern);
  const fits = (text: string): boolean =>
    glob(text) && !CLIMBS.test(foldCase(text)) && text.split(/[\r\n]+/).every((line) => line === '' || glob(line));
  return (facts) => facts.fields.length > 0 && textsIn(facts).every(fits);
}

const HOST_FIELD = /(?:^|_)(?:hosts?|host_?name|domains?|server|address|addr|ip|origin|endpoint|site|uri|url)$/;

/** Allowed are only plain URLs at such a host; forbidden is the host wherever some program may read it. */
function hostCondition(pattern: string, allows: boolean): Condition {
  const glob = createMatcher(pattern.includes('?') ? pattern.toLowerCase() : normalHost(pattern));
  if (allows) {
    const isFound = (text: string): boolean => {
      const url = plainWebUrl(text);
      return url !== null && glob(hostName(url));
    };
    return (facts) => facts.fields.length > 0 && textsIn(facts).every(isFound);
  }
  const isSpecific = /[\p{L}\p{N}]/u.test(pattern);
  return (facts) =>
    facts.fields.some(({ name, text }) => HOST_FIELD.test(splitWords(name)) && hostsNamedIn(text, true).some(glob)) ||
    facts.words.some((text) => hostsNamedIn(text, isSpecific).some(glob));
}

/** A pattern of commands, and the literal prefix of its program. */
type CommandPattern = { text: string; glob: (text: string) => boolean; program: string };

/** True for a text that may be a command; prose only if it contains the name of the program. */
function mayBeScript(field: Field, program: string, facts: CallFacts): boolean {
  const { role, text } = field;
  if (role !== 'unknown' && role !== 'path') return role === 'command';
  return /\s|[;|&`$]/.test(text) && !isOtherProse(field, program, facts);
}

/** True if the call consists only of plain commands of this pattern: of what {@link runs} looks at, and nothing else. */
function isOnly(pattern: CommandPattern, facts: CallFacts): boolean {
  const { glob, program } = pattern;
  const lists = facts.wordLists.filter(({ isCertain }) => isCertain);
  // Split words form one command and must not be checked separately.
  const pieces = new Set(lists.flatMap(({ words }) => words));
  const isPiece = (text: string): boolean => pieces.size > 0 && text.split(/\s+/).every((word) => pieces.has(word));
  const others = facts.fields.filter(
    ({ role, text }) => /^(?:command|unknown|code|query)$/.test(role) && !isPiece(text),
  );
  if (!others.every((field) => mayBeScript(field, program, facts))) return false;
  const scripts = [...lists, ...others].map((each) => facts.getScript(each));
  const isMatch = ({ commands, fault, finding }: ShellScript): boolean =>
    fault === undefined &&
    finding === undefined &&
    commands.every((command) => isPlain(command, pattern) && fits(glob, toText(command)));
  return scripts.every(isMatch) && scripts.some(({ commands }) => commands.length > 0);
}

/** True for prose without the name of the program: it need not be parsed. */
function isOtherProse(field: Field, program: string, facts: CallFacts): boolean {
  const { role, text } = field;
  if (role === 'command' || text.length > MAX_SCRIPT_LENGTH || !facts.isProse(field)) return false;
  return /\w/.test(text) && !text.includes(program);
}

/**
 * A command without effects besides its own: no redirect to a file, nothing that is unknown in advance, and no option
 * for a program, a configuration or a file to write, unless the rule names it.
 */
function isPlain({ words, program, args, assignments, redirects }: SimpleCommand, { text }: CommandPattern): boolean {
  return (
    words[0] !== '' &&
    !words[0]?.includes('/') &&
    !words.some(hasUnknown) &&
    !args.some((arg) => namesEffect(program, arg) && !text.includes(arg.replace(/=.*$/s, ''))) &&
    (program !== 'git' || text.startsWith('git -') || isPlainGit(args)) &&
    assignments.length === 0 &&
    redirects.every(({ operator, target }) => /&$/.test(operator) || target === '/dev/null')
  );
}

/** True if one of the commands, or one that they run, matches the pattern. */
function runs(pattern: CommandPattern, facts: CallFacts): boolean {
  const fields = facts.fields.filter((field) => mayBeScript(field, pattern.program, facts));
  return [...fields, ...facts.wordLists].some((each) =>
    facts
      .getScript(each)
      .commands.some(
        (command) => matchesProgram(pattern, command) || mayBe(command, pattern.program) || handsOver(pattern, command),
      ),
  );
}

function matchesProgram({ glob, program }: CommandPattern, command: SimpleCommand): boolean {
  // Some file systems ignore the case of a program.
  const called = program === program.toLowerCase() ? command.program.toLowerCase() : command.program;
  // All forms begin with the program.
  if (!called.startsWith(program) && command.words[0]?.startsWith(program) !== true) return false;
  return listForms({ ...command, program: called }).some((form) => fits(glob, form));
}

/**
 * An argument may be a command for the program that gets it, and the file of a program is the program by another name:
 * a rule that forbids a program matches both, unless the argument is only shown, listed or searched for.
 */
function handsOver(pattern: CommandPattern, { program, args }: SimpleCommand): boolean {
  if (pattern.program === '' || MENTIONS.has(program)) return false;
  return args.some((arg, at) => {
    if (!arg.includes(pattern.program) || /^(?:-[a-z]*m|-[tb]|--(?:message|title|body|grep))$/.test(args[at - 1] ?? ''))
      return false;
    if (/[/\\]s?bin[/\\][^/\\\s]+$/.test(arg)) return baseName(arg) === pattern.program;
    if (!/[\s|!;&'"(]/.test(arg)) return false;
    const pieces = arg.split(/^[\w-]*=|["'`!|;&\n(){}]+/).map((piece) => piece.replace(/^[^\w/]+/, ''));
    return pieces.some(
      (piece) =>
        piece.slice(0, 200).includes(pattern.program) &&
        readShell(piece).commands.some((command) => matchesProgram(pattern, command)),
    );
  });
}

const MENTIONS: ReadonlySet<string> = new Set([...TEXT_ONLY, ...LISTERS, ...'grep egrep fgrep rg ag ack'.split(' ')]);

/** `git push *` also matches `git push` alone. */
function fits(glob: (text: string) => boolean, text: string): boolean {
  return glob(text) || glob(`${text} `);
}

function toText({ program, args }: SimpleCommand): string {
  return [program, ...args].join(' ');
}

/** Forms of a command: as written, by its base name, and without the options before its subcommand. */
function listForms(command: SimpleCommand): string[] {
  const { words, program, args } = command;
  const forms = [words.join(' '), toText(command)];
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

type ReachedPath = PathCandidates & { text: string; isPath?: boolean };

/** A call with more folders is not one about a folder. */
const MAX_FOLDERS = 8;

/**
 * Every text of a call that a server may take for a path, and the words of its commands. `isPath`: it is certainly one.
 * A text is left out only if it cannot lead anywhere, or if the schema declares it as content.
 */
function* pathsIn(facts: CallFacts): Generator<ReachedPath> {
  const { resolvePath } = facts.callContext;
  const folders = new Set<string | undefined>();
  const others = new Set(facts.names.filter((name) => /[^\w -]/.test(name)));
  for (const field of facts.fields) {
    const { text, role } = field;
    const options: PathOptions = { workingFolder: findFolder(field, facts), resolvePath };
    const mayRun = role === 'command' || (role === 'unknown' && /\s/.test(text));
    const isProse = role === 'unknown' && mayRun && facts.isProse(field) && !NAMES_FOLDER.test(text);
    if (mayRun && !isProse) yield* pathsOfScript(facts.getScript(field), options, role === 'command');
    const isPath = isPathField(field);
    if (!isPath && role !== 'command' && !field.isContent) others.add(text);
    if (!isPath || isProse) continue;
    const isFolder = role === 'folder' && text === field.folder;
    if (isFolder) options.workingFolder = facts.callContext.workingFolder;
    for (const each of SEPARATES.test(text) ? text.split(NEXT_PATH) : [text]) {
      const { paths, unresolved } = pathCandidates(each, options);
      if (folders.size < MAX_FOLDERS) folders.add(paths[0]);
      yield { text: each, paths, unresolved, isPath: true };
    }
  }
  for (const list of facts.wordLists) {
    if (list.isCertain)
      yield* pathsOfScript(
        facts.getScript(list),
        { workingFolder: list.folder ?? facts.callContext.workingFolder, resolvePath },
        true,
      );
  }
  const joined = resolvePath === undefined ? 0 : folders.size;
  for (const text of others)
    if (mayLeadAway(text, facts.isPlain) || (joined > 0 && text.length < 256))
      for (const each of /[/\\~]/.test(text) ? text.split(NEXT_PATH) : [text])
        yield* possiblePaths(each, [...folders], resolvePath);
}

/** Another path may follow a separator. */
const SEPARATES = /[\s,;|:]/;
const NEXT_PATH = /(?:[\s,;|]|(?<!^file|^[a-z]):)(?=[/~\\]|[a-z]:[\\/]|\.\.[/\\])/i;

function isPathField({ text, role }: Field): boolean {
  if (role === 'path' || role === 'folder') return true;
  return role === 'url' ? /^file:/i.test(text) : role === 'unknown' && (LOOKS_LIKE_PATH.test(text) || hasUnknown(text));
}

/** A text that is no path by its name: a server may join it with the folders of the call. */
function* possiblePaths(
  text: string,
  folders: (string | undefined)[],
  resolvePath?: ResolvePath,
): Generator<ReachedPath> {
  // A plain name leads out of a folder only through a symbolic link.
  const isShort = text.length < 256 && resolvePath !== undefined;
  const folded = foldCase(text);
  const leadsAway = CLIMBS.test(folded) || /^[~/\\]|^[a-z][a-z\d+.-]*:\S|:[/\\]{2}|^[a-z]:$/.test(folded);
  if (leadsAway)
    yield { text, ...(/^[/\\]|^[a-z]:[/\\]/i.test(folded) ? pathCandidates(text, { resolvePath }) : UNRESOLVED) };
  else if (/[/\\%]/.test(folded) || (isShort && /\S/.test(text)))
    for (const workingFolder of folders.length > 0 ? folders : [undefined])
      yield { text, ...pathCandidates(text, { workingFolder, resolvePath }) };
}

/** Separate searches are several times faster than one pattern. */
function mayLeadAway(text: string, isPlain: boolean): boolean {
  return (
    /[/\\~%]/.test(text) ||
    text.includes('..') ||
    /^[A-Za-z][A-Za-z\d+.-]*:\S|^[A-Za-z]:$/.test(text) ||
    (!isPlain && !isPlainText(text))
  );
}

const UNRESOLVED = { paths: [], unresolved: true };

const NAMES_FOLDER = /(?<!\S)\.{1,2}(?!\S)/;

const LOOKS_LIKE_PATH = /^[/~\\]|^[A-Za-z]:[\\/]|^\.{1,2}(?:$|[/\\])|^[^\s:?&=]*[/\\][^\s:?&=]*$/;

function findFolder({ folder }: Field, { callContext }: CallFacts): string | undefined {
  if (folder === undefined) return callContext.workingFolder;
  const [whole] = pathCandidates(folder, { workingFolder: callContext.workingFolder }).paths;
  return whole;
}

function* pathsOfScript(
  { commands, fault }: ShellScript,
  options: PathOptions,
  isCommand: boolean,
): Generator<ReachedPath> {
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
      for (const text of [word, ...(/[=:@,]/.test(word) ? word.split(/[=:@,]/) : [])]) {
        if (hasUnknown(text) || /[/\\~]|^\.{1,2}$/.test(text))
          yield { text, isPath: true, ...pathCandidates(text, here) };
      }
    }
  }
}

function reachesOutside(folder: string, facts: CallFacts): boolean {
  const isInside = createFolderMatcher(folder, facts.callContext.resolvePath);
  for (const { text, paths, unresolved } of pathsIn(facts)) {
    if (!paths.every(isInside)) return true;
    // Without a known working folder a relative path counts as inside it.
    if (unresolved && /^[/~$%`]|^[A-Za-z]:|^\.\.(?:\/|$)|[\0\u0001]/.test(normalPath(text.replaceAll('\\', '/'))))
      return true;
  }
  return false;
}

function staysInside(folder: string, facts: CallFacts, mayRun: boolean): boolean {
  const isInside = createFolderMatcher(folder, facts.callContext.resolvePath);
  // Code and queries may take effect anywhere.
  const hasEffect = ({ role }: Field): boolean =>
    role === 'code' || role === 'query' || (role === 'command' && !mayRun);
  if (facts.fields.some(hasEffect) || (!mayRun && facts.wordLists.some(({ isCertain }) => isCertain))) return false;
  let isAny = false;
  for (const { paths, unresolved, isPath = false } of pathsIn(facts)) {
    if (unresolved || !paths.every(isInside)) return false;
    isAny ||= isPath;
  }
  return isAny;
}

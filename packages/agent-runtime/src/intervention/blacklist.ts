import type { CallFacts, Field } from './call-facts.ts';
import { inWords, KNOWN_PROGRAM, word } from './call-facts.ts';
import type { OwnPlaces } from './dangers.ts';
import { inspectScript, OWN, secret, touchesOwn } from './dangers.ts';
import { METADATA } from './network-dangers.ts';
import { inspectCode, inspectQuery, shown } from './inline-code.ts';
import type { ResolvePath } from './resolved-path.ts';
import { liesIn, readingsOf } from './resolved-path.ts';
import { dangerOfPath, isEverything, isPersonal } from './sensitive-paths.ts';
import { inFolder } from './shell-values.ts';
import type { Finding } from './shell-script.ts';
import { danger, firstDanger, unclear } from './shell-script.ts';

const REMOVES = word('delete|remove|rm|rmdir|unlink|erase|wipe|trash|destroy|purge');
const WRITES = word(
  'write|append|create|edit|apply|move|save|put|update|insert|upload|set|patch|replace|copy|rename|add',
);
const DATABASE = word('sql|postgres|postgresql|mysql|mariadb|sqlite|database|db|mongo|mongodb|redis|duckdb');

/**
 * The default blacklist: calls that need approval whatever else is allowed. It reads the arguments of a call; what the
 * server does with them is not known, so it is no sandbox.
 */
export function findDanger(facts: CallFacts, onlyReads: boolean): Finding | undefined {
  if (facts.isTooMuch) return unclear('There is too much of it to look through.');
  const own = facts.surroundings.own ?? {};
  const called = inWords(facts.reference);
  const tool: Tool = {
    onlyReads,
    removes: REMOVES.test(called),
    writes: WRITES.test(called),
    queries: DATABASE.test(called),
  };
  return firstDanger(findingsIn(facts, tool, own));
}

function* findingsIn(facts: CallFacts, tool: Tool, own: OwnPlaces): Generator<Finding | undefined> {
  for (const list of facts.wordLists) yield judged(inspectScript(facts.scriptOf(list), own), list.isCertain);
  for (const field of facts.fields) {
    yield inspectPlace(field, tool);
    if (field.role !== 'text')
      yield (
        touchesOwn(field.text, own) ??
          leadsToOwn(field, facts) ??
          (METADATA.test(field.text) ? METADATA_READ : undefined)
      );
    yield inspectText(field, facts, tool);
  }
  for (const name of facts.names) if (name.length > 3 && dangerOfPath(name) === 'secret') yield secret(name);
}

/** Toolyard's data folder by another way: a relative path, `..`, a symbolic link. */
function leadsToOwn({ text, role }: Field, { surroundings }: CallFacts): Finding | undefined {
  const { own, workingFolder, resolvePath } = surroundings;
  if (own?.dataFolder === undefined || (role !== 'path' && role !== 'folder')) return undefined;
  const { dataFolder } = own;
  const real = resolvePath === undefined ? dataFolder : realFolder(own, resolvePath);
  const { paths, unresolved } = readingsOf(text, { workingFolder, resolvePath });
  if (paths.some((path) => liesIn(path, real))) return OWN;
  // What the system does not tell is compared as it is written.
  const written = unresolved ? readingsOf(text, { workingFolder }).paths : [];
  return written.some((path) => liesIn(path, dataFolder)) ? OWN : undefined;
}

const realFolders = new WeakMap<OwnPlaces, string>();

/** Resolved once for a run: a check takes microseconds, and each part of a path is a system call. */
function realFolder(own: OwnPlaces, resolvePath: ResolvePath): string {
  const known = realFolders.get(own);
  if (known !== undefined) return known;
  const { dataFolder = '' } = own;
  const real = resolvePath(dataFolder) ?? dataFolder;
  realFolders.set(own, real);
  return real;
}

type Tool = { onlyReads: boolean; removes: boolean; writes: boolean; queries: boolean };

const METADATA_READ = danger('It reads the secrets of a cloud machine.');

/** Of a text that is only perhaps a command, what cannot be followed says nothing. */
function judged(finding: Finding | undefined, isCommand: boolean): Finding | undefined {
  return isCommand || finding?.kind === 'danger' ? finding : undefined;
}

function inspectPlace({ name, text, role, folder }: Field, { onlyReads, removes, writes }: Tool): Finding | undefined {
  if (role === 'text' && !/^(?:name|label)$/.test(name)) return undefined;
  if (text.includes('\n') || role === 'code' || role === 'query') return undefined;
  if (role === 'command') return !/\s/.test(text) && dangerOfPath(text) === 'secret' ? secret(text) : undefined;
  const path = inFolder(text, folder);
  const found = dangerOfPath(text) ?? (path === text || /\s/.test(text) ? undefined : dangerOfPath(path));
  if (found === 'secret') return secret(path);
  if (
    /^(?:volumes?|mounts?|binds?)$/i.test(name) &&
    (isEverything(text.split(':')[0] ?? '') || text.includes('docker.sock'))
  )
    return danger(`It hands ${shown(text)} to a container.`);
  if (removes && /^[/~%]|^[a-z]:/i.test(path) && (isEverything(path) || isPersonal(path)))
    return danger(`It removes ${shown(path)} and all that is in it.`);
  if (onlyReads || /\s/.test(text)) return undefined;
  if (found === 'device') return danger(`It works on the device ${shown(path)}.`);
  if (found === 'startup' || (found === 'system' && (writes || removes)))
    return danger(`It writes to ${shown(path)}, which is run later, or belongs to the system.`);
  return undefined;
}

/** As it is written for PowerShell, which is not parsed here. */
const RUNS_FETCHED =
  /\b(?:iex|invoke-expression)\b[^\n]{0,200}\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)\b|\b(?:iwr|irm|invoke-webrequest|invoke-restmethod)\b[^\n]{0,200}\|\s*(?:iex|invoke-expression)\b/i;

function inspectText(field: Field, facts: CallFacts, tool: Tool): Finding | undefined {
  const { text, role } = field;
  if (role !== 'text' && RUNS_FETCHED.test(text)) return danger('It runs what is downloaded.');
  const { own = {} } = facts.surroundings;
  switch (role) {
    case 'command':
      return text.trim() === '' ? undefined : inspectScript(facts.scriptIn(field), own);
    case 'code':
      return inspectCode(text) ?? (KNOWN_PROGRAM.test(text) ? judged(maybeCommand(field, facts), false) : undefined);
    case 'query':
      return inspectQuery(text);
    case 'text':
      if (tool.queries) return inspectQuery(text);
      // A message that begins as a command may be one; what is searched for, or written to a file, is not.
      return KNOWN_PROGRAM.test(text) && !/^(?:contents?|query|search|title|subject|name|label)$/.test(field.name)
        ? judged(maybeCommand(field, facts), false)
        : undefined;
    case 'unknown':
    case 'path':
    case 'folder':
    case 'url':
      return (
        (tool.queries && role === 'unknown' ? inspectQuery(text) : undefined) ??
        judged(maybeCommand(field, facts), false)
      );
  }
}

/** A text that nothing says is a command is parsed as one only if it may be one. */
function maybeCommand(field: Field, facts: CallFacts): Finding | undefined {
  const { text } = field;
  if (text.length < 4 || text.length > 20_000 || /^[\w.@:/~-]*$/.test(text)) return undefined;
  if (isSentence(text) || facts.isProse(text)) return undefined;
  const script = facts.scriptIn(field);
  if (script.fault !== undefined && NAMES_PROGRAM.test(text) && !/^[A-Z][a-z]*[,' ]/.test(text)) {
    return danger(`It looks like a command that cannot be followed: ${script.fault}.`);
  }
  // A text without commands may still hold an expansion, such as a variable with a secret.
  const mayRun = script.commands.length > 0 || /^[\w$"({]/.test(text);
  return mayRun ? inspectScript(script, facts.surroundings.own ?? {}) : undefined;
}

const NAMES_PROGRAM = /(?:^|[;&|(`\s])(?:rm|dd|sudo|cat|curl|wget|cp|mv|mkfs\S*|chmod|sh|bash|eval|ssh|nc)\s+[-~/.\w]/;

/** Sentences begin with a capital letter and hold no marks between commands. */
function isSentence(text: string): boolean {
  return /^[A-Z][a-z]*[,' ]/.test(text) && !/[|;&`]|\$\(/.test(text);
}

import { foldCase, say } from '@toolyard/protocol';
import type { CallFacts, Field } from './call-facts.ts';
import { KNOWN_PROGRAM, splitWords, VARIABLE } from './call-facts.ts';
import type { ProtectedTargets } from './dangers.ts';
import { inspectAssignment, inspectScript, TOUCHES_TOOLYARD, secretFinding, touchesToolyard } from './dangers.ts';
import { reachesMetadata } from './network-dangers.ts';
import { HOST_SETTINGS } from './argument-dangers.ts';
import { inspectCode, inspectQuery, displayText } from './inline-code.ts';
import type { ResolvePath } from './resolved-path.ts';
import { createFolderMatcher, pathCandidates } from './resolved-path.ts';
import { dangerOfPath, isWholeSystem, isPersonal } from './sensitive-paths.ts';
import { inFolder } from './shell-values.ts';
import type { ScriptFinding } from './shell-script.ts';
import { dangerFinding, firstDanger, unclearFinding } from './shell-script.ts';

const REMOVES_ALL =
  /(?:delete|destroy|drop|remove|purge|wipe|terminate)_(?:\w+_)?(?:repo|repository|database|bucket|cluster|project|namespace|organi[sz]ation|account|schema|table|volume|instances?|all)$/;

/**
 * The default blacklist: calls that need approval, whatever else is allowed. It only reads the arguments of a call;
 * what the server does with them is unknown, so it does not replace a sandbox.
 */
export function findDanger(facts: CallFacts, onlyReads: boolean): ScriptFinding | undefined {
  if (!onlyReads && REMOVES_ALL.test(splitWords(facts.reference))) {
    const [server = '', ...name] = facts.reference.split('/');
    return dangerFinding(say`${server} ${name.join('/')}: it deletes something permanently.`);
  }
  if (facts.isTooLarge) return unclearFinding(say`The arguments are too large to be checked.`);
  return firstDanger(findingsIn(facts, { ...facts.tool, onlyReads }, facts.callContext.own ?? {}));
}

function* findingsIn(facts: CallFacts, tool: Tool, own: ProtectedTargets): Generator<ScriptFinding | undefined> {
  for (const list of facts.wordLists) yield certainOnly(inspectScript(facts.getScript(list), own), list.isCertain);
  for (const field of facts.fields) {
    yield (
      inspectPlace(field, tool) ??
        inspectVariable(field) ??
        (field.role === 'text' ? undefined : inspectNames(field, facts, own))
    );
    yield inspectText(field, facts, tool);
  }
  for (const name of facts.names)
    if (tool.queries) yield inspectQuery(name);
    else if (/[./~]/.test(name))
      yield inspectPlace({ name: '', text: name, role: 'path', folder: undefined, isContent: false }, tool);
  if (
    own.port !== undefined &&
    facts.all.includes(String(own.port)) &&
    facts.fields.some(({ text }) => HERE.test(text))
  )
    yield TOUCHES_TOOLYARD;
  for (const setting of facts.settings) if (HOST_SETTINGS.test(setting)) yield HOST_ACCESS;
}

/** Toolyard, the metadata of a cloud machine, and the rights of a container, named in any text but prose. */
function inspectNames(field: Field, facts: CallFacts, own: ProtectedTargets): ScriptFinding | undefined {
  const { text } = field;
  const found = touchesToolyard(text, own) ?? resolvesToOwn(field, facts);
  if (found) return found;
  if (reachesMetadata(text)) return dangerFinding(say`It reads the credentials of a cloud machine.`);
  return text.includes('true') && HOST_SETTINGS.test(text) ? HOST_ACCESS : undefined;
}

const HOST_ACCESS = dangerFinding(say`The container has full access to the machine.`);

const HERE = /^(?:localhost|127\.[\d.]+|\[?::1\]?|0\.0\.0\.0)$/i;

/** A variable is given by its name, or as `NAME=value` among others. */
function inspectVariable({ name, text }: Field): ScriptFinding | undefined {
  const [, given = '', value = ''] = (/env/i.test(name) && /^([A-Za-z_]\w*)=(.*)$/s.exec(text)) || [];
  if (given !== '') return inspectAssignment({ name: given, value });
  return VARIABLE.test(name) ? inspectAssignment({ name, value: text }) : undefined;
}

/** Detects Toolyard's data folder in another spelling: a relative path, `..`, a symbolic link. */
function resolvesToOwn({ text, role }: Field, { callContext }: CallFacts): ScriptFinding | undefined {
  const { own, workingFolder, resolvePath } = callContext;
  if (own?.dataFolder === undefined || (role !== 'path' && role !== 'folder')) return undefined;
  const { dataFolder } = own;
  const real = resolvePath === undefined ? dataFolder : realFolder(own, resolvePath);
  const { paths, unresolved } = pathCandidates(text, { workingFolder, resolvePath });
  if (paths.some(createFolderMatcher(real))) return TOUCHES_TOOLYARD;
  // A path that the system cannot resolve is compared as it is written.
  const written = unresolved ? pathCandidates(text, { workingFolder }).paths : [];
  return written.some(createFolderMatcher(dataFolder)) ? TOUCHES_TOOLYARD : undefined;
}

const realFolders = new WeakMap<ProtectedTargets, string>();

/** Resolved once per run: a check takes microseconds, and each path segment costs a system call. */
function realFolder(own: ProtectedTargets, resolvePath: ResolvePath): string {
  const known = realFolders.get(own);
  if (known !== undefined) return known;
  const { dataFolder = '' } = own;
  const real = resolvePath(dataFolder) ?? dataFolder;
  realFolders.set(own, real);
  return real;
}

type Tool = CallFacts['tool'] & { onlyReads: boolean };

/** A text that may not be a command at all is not flagged only because it cannot be analyzed. */
function certainOnly(finding: ScriptFinding | undefined, isCommand: boolean): ScriptFinding | undefined {
  return isCommand || finding?.kind === 'danger' ? finding : undefined;
}

function inspectPlace({ name, text, role, folder }: Field, tool: Tool): ScriptFinding | undefined {
  const { onlyReads, removes, writes } = tool;
  if (role === 'text' && !/^(?:name|label)$/.test(name) && !/^(?:[~/]|\.\.\/)\S+$/.test(text)) return undefined;
  if (text.includes('\n') || role === 'code' || role === 'query') return undefined;
  if (role === 'command') return !/\s/.test(text) && dangerOfPath(text) === 'secret' ? secretFinding(text) : undefined;
  const path = inFolder(text, folder);
  const folded = /\s/.test(text) ? text : foldCase(path);
  const found = dangerOfPath(text) ?? (folded === text ? undefined : dangerOfPath(folded));
  if (found === 'secret') return secretFinding(path);
  if (
    (tool.contains || /^(?:volumes?|mounts?|binds?)$/i.test(name)) &&
    ((/^(?:[/~]|[a-z]:)/i.test(text) && isWholeSystem(text.split(':')[0] ?? '')) || text.includes('docker.sock'))
  )
    return dangerFinding(say`It gives a container access to ${displayText(text)}.`);
  if (removes && /^[/~%]|^[a-z]:/i.test(path) && (isWholeSystem(path) || isPersonal(path)))
    return dangerFinding(say`It processes everything in ${displayText(path)}.`);
  if (onlyReads || (tool.looks && !writes && !removes) || /\s/.test(text)) return undefined;
  if (found === 'device') return dangerFinding(say`It accesses the device ${displayText(path)}.`);
  if (found === 'startup' || (found === 'system' && (writes || removes)))
    return dangerFinding(say`It writes to ${displayText(path)}, which is a system file or runs automatically.`);
  return undefined;
}

function inspectText(field: Field, facts: CallFacts, tool: Tool): ScriptFinding | undefined {
  const { text, role } = field;
  if (role !== 'text' && /^git\+\w+:\/\//.test(text)) return dangerFinding(say`It runs downloaded code.`);
  const { own = {} } = facts.callContext;
  switch (role) {
    case 'command':
      if (/^[!|]\w/.test(text)) return dangerFinding(say`It gives ${facts.reference} a command: ${displayText(text)}.`);
      return (
        (tool.queries ? inspectQuery(text) : undefined) ??
        (text.trim() === '' ? undefined : inspectScript(facts.getScript(field), own))
      );
    case 'url':
      return /^\s*javascript:/i.test(text) ? inspectCode(text) : certainOnly(maybeCommand(field, facts), false);
    case 'code':
      return (
        inspectCode(text) ?? (KNOWN_PROGRAM.test(text) ? certainOnly(maybeCommand(field, facts), false) : undefined)
      );
    case 'query':
      return inspectQuery(text);
    case 'text':
      if (tool.queries) return inspectQuery(text);
      // A message that begins like a command may be one; a search term or the content of a file is not.
      return KNOWN_PROGRAM.test(text) && !/^(?:contents?|query|search|title|subject|name|label)$/.test(field.name)
        ? certainOnly(maybeCommand(field, facts), false)
        : undefined;
    case 'unknown':
    case 'path':
    case 'folder':
      return (
        (tool.queries && role === 'unknown' ? inspectQuery(text) : undefined) ??
        certainOnly(maybeCommand(field, facts), false)
      );
  }
}

/** A text of unknown role is parsed as a command only if it looks like one. */
function maybeCommand(field: Field, facts: CallFacts): ScriptFinding | undefined {
  const { text } = field;
  if (text.length < 4 || text.length > 20_000 || /^[\w.@:/~-]*$/.test(text)) return undefined;
  if (isSentence(text) || facts.isProse(field)) return undefined;
  const script = facts.getScript(field);
  if (script.fault !== undefined && NAMES_PROGRAM.test(text) && !/^[A-Z][a-z]*[,' ]/.test(text)) {
    return dangerFinding(say`It looks like a command that cannot be analyzed: ${script.fault}.`);
  }
  // Without commands the text may still contain an expansion, such as a variable with a secret.
  const mayRun = script.commands.length > 0 || /^[\w$"({]/.test(text);
  return mayRun ? inspectScript(script, facts.callContext.own ?? {}) : undefined;
}

const NAMES_PROGRAM =
  /(?:^|[;&|(`\s])(?:rm|dd|sudo|cat|curl|wget|cp|mv|mkfs\S*|chmod|sh|bash|eval|ssh|nc|iex)\s+[-~/.\w(]/;

/** Prose begins with a capital letter and contains no command separators. */
function isSentence(text: string): boolean {
  return /^[A-Z][a-z]*[,' ]/.test(text) && !/[|;&`]|\$\(/.test(text);
}

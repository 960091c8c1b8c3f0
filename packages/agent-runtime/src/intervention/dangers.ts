import { say } from '@toolyard/protocol';
import { inspectArguments } from './argument-dangers.ts';
import type { CodeContext } from './code-dangers.ts';
import { inspectCodeCommand } from './code-dangers.ts';
import { inspectGiven, LOCAL_FILE, SHELL } from './given.ts';
import { displayText } from './inline-code.ts';
import { DATA, NewFiles, READERS } from './new-files.ts';
import { inspectConnections } from './network-dangers.ts';
import { inspectRemoval, isWork, removesContents } from './removal-dangers.ts';
import * as programs from './programs.ts';
import { dangerOfPath, isWholeSystem, isPersonal, secretWithin } from './sensitive-paths.ts';
import { readShell } from './shell-reader.ts';
import { inFolder, SECRET_VARIABLES } from './shell-values.ts';
import type { ScriptFinding, ShellScript, SimpleCommand } from './shell-script.ts';
import { dangerFinding, firstDanger, unclearFinding } from './shell-script.ts';
import { isDynamic, LISTED, UNKNOWN } from './shell-text.ts';
import { dangerOfGit } from './git-dangers.ts';
import { dangerOfContainer, dangerOfTool } from './tool-dangers.ts';

/** Toolyard's own data folder and port: calls that touch them need approval. */
export type ProtectedTargets = { dataFolder?: string | undefined; port?: number | undefined };

type Context = CodeContext & { own: ProtectedTargets };

/** Returns the first danger of a script; an `unclearFinding` if it cannot be analyzed. */
export function inspectScript(script: ShellScript, own: ProtectedTargets): ScriptFinding | undefined {
  let found = script.finding;
  if (found) return found;
  const newFiles = new NewFiles();
  const inspect = (text: string): ScriptFinding | undefined => inspectScript(readShell(text), own);
  const context: Context = { own, commands: script.commands, newFiles, inspect };
  for (const command of script.commands) {
    const finding = inspectCommand(command, context);
    if (finding?.kind === 'danger') return finding;
    found ??= finding;
    newFiles.add(command);
  }
  return (
    found ??
    (script.fault === undefined ? undefined : unclearFinding(say`The command cannot be analyzed: ${script.fault}.`))
  );
}

function inspectCommand(command: SimpleCommand, context: Context): ScriptFinding | undefined {
  const name = programs.plainName(command.program);
  let doubt: ScriptFinding | undefined;
  for (const inspector of INSPECTORS) {
    const finding = inspector(name, command, context);
    if (finding?.kind === 'danger') return finding;
    doubt ??= finding;
  }
  return doubt;
}

type Inspector = (name: string, command: SimpleCommand, context: Context) => ScriptFinding | undefined;

const INSPECTORS: readonly Inspector[] = [
  lookAtProgram,
  lookAtAssignments,
  inspectRemoval,
  lookAtPlaces,
  lookAtRedirects,
  lookAtEnvironment,
  lookAtOwn,
  inspectCodeCommand,
  inspectConnections,
  (name, command, { inspect }) => inspectGiven(name, command, inspect, () => textArguments(name, command.args)),
  (name, { args }) => inspectArguments(name, args),
  (name, { args }) => (name === 'git' ? dangerOfGit(args) : undefined),
  (name, { args }) => dangerOfContainer(name, args),
  (name, { args }) => dangerOfTool(name, args),
];

function lookAtProgram(name: string, { words, args }: SimpleCommand): ScriptFinding | undefined {
  const [first = ''] = words;
  if (isDynamic(first) && !/^\[\[?$/.test(first))
    return unclearFinding(say`The program that it runs is not known in advance.`);
  if (/[^\x20-\x7e]/.test(first)) return unclearFinding(say`The name of the program contains unusual characters.`);
  if (args.length === 1 && /^(?:--help|--version|-V|-h)$/.test(args[0] ?? '')) return undefined;
  const asks = programs.ONLY_ASKS.get(name);
  if (args.some((arg) => asks?.test(arg)) && !args.some((arg) => CHANGES.test(arg))) return undefined;
  const always = ALWAYS.get(name);
  if (always !== undefined) return dangerFinding(always(name));
  if (/^(?:docker|git)-credential-/.test(name)) return dangerFinding(say`${name} reads a secret store.`);
  if (/^ld-linux|^ld\.so|^ld-musl/.test(name)) return dangerFinding(say`${name} executes a file.`);
  if (/^(?:xargs|fd|fdfind)$/.test(name) && removesContents(args))
    return dangerFinding(say`It removes files that are listed by another command.`);
  return undefined;
}

const ALWAYS = new Map(
  programs.ALWAYS.toReversed().flatMap(({ why, programs: list }) => [...list].map((name) => [name, why] as const)),
);

/** Options that change something, even together with one that only asks. */
const CHANGES = /^(?:-w|-F|-X|-P|-d|-D|-A|--write|show)$/;

/** Variables that set a program to run or code to load. */
const RUNS_VALUE =
  /^(?:\w*EDITOR|VISUAL|\w*PAGER|GIT_\w+|LD_\w+|DYLD_\w+|BASH_ENV|ENV|PROMPT_COMMAND|PYTHON(?:STARTUP|PATH|HOME|INSPECT|BREAKPOINT)|NODE_OPTIONS|NODE_PATH|PERL5\w+|PERLLIB|RUBY(?:OPT|LIB)|VIMINIT|EXINIT|GVIMINIT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|CLASSPATH|BROWSER|SHELL|PATH|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|PS[0-4]|IFS|LESSOPEN|LESSCLOSE|TERMINFO\w*|GCONV_PATH|MAKEFLAGS|RUSTC_WRAPPER|CC|SSH_ASKPASS|SUDO_ASKPASS|RSYNC_RSH|TAR_OPTIONS|OPENSSL_CONF|KUBECONFIG|DOCKER_HOST|HTTPS?_PROXY|ALL_PROXY|npm_config_\w+|PIP_\w+|UV_\w*INDEX\w*|GOFLAGS|GOPROXY|\w*REGISTRY|TOOLYARD_\w+)$/i;
const HARMLESS_VALUE =
  /^(?:|cat|less(?: -\w+)*|more|true|:|\/bin\/(?:cat|true|sh|bash)|--max[-_]old[-_]space[-_]size=\d+|--no-warnings|--enable-source-maps|-j\d*|gcc|clang|cc|g\+\+|code --wait|vim?|nano|\d+|never|always|on|off|yes|no|none|-mod=\w+|\/usr\/lib\/[\w./-]+)$/;
const HARMLESS_NAME =
  /^(?:GIT_(?:AUTHOR|COMMITTER)_\w+|GIT_(?:TERMINAL_PROMPT|OPTIONAL_LOCKS|TRACE\w*|DEPTH|BRANCH|COMMIT|SHA)|PIP_(?:DISABLE\w+|NO_\w+|QUIET)|npm_config_(?:yes|loglevel|fund|audit|progress|update_notifier|color))$/i;

function lookAtAssignments(name: string, { assignments, args }: SimpleCommand): ScriptFinding | undefined {
  const assigned = SETS_VARIABLES.test(name) ? args.flatMap(assignmentIn) : [];
  const isProject = RUNS_PROJECT.test(name);
  return firstDanger([...assignments, ...assigned].map((each) => inspectAssignment(each, isProject)));
}

/** Programs whose variables are mostly those of the project. */
const RUNS_PROJECT =
  /^(?:|export|set|env|npm|pnpm|yarn|npx|bunx?|node|deno|tsx|python|uvx?|poetry|go|cargo|make|docker|docker-compose|ruby|rails|rake|php|java|mvn|mvnw|gradlew?|dotnet|vitest|jest|pytest|playwright|[\w-]+\.\w+)$/;

/**
 * A variable may decide what a program runs: by its name, because its value is a shell or an option that runs something,
 * or because it names a file for a program that is not of the project.
 */
export function inspectAssignment(each: { name: string; value: string }, isProject = true): ScriptFinding | undefined {
  const { name, value } = each;
  const isNamed = (RUNS_VALUE.test(name) && !isHarmlessAssignment(each)) || INSECURE.test(name);
  const isLoaded = (isProject ? NAMES_FILE : NAMES_ANY).test(name) && isLocal(value);
  const isShell = (SHELL.test(value) && name !== 'SHELL') || /^(?:\+[:!]|[!|]\s*\w|!?(?:ba|z|da|k)?sh\s)/.test(value);
  const isOption = /^[-@]/.test(value) && (LOADS_AGENT.test(value) || value.split(/[\s=@]+/).some(isLocal));
  return isNamed || isLoaded || isShell || isOption
    ? dangerFinding(say`The variable ${name} sets a program to run: ${displayText(value)}.`)
    : undefined;
}

const isLocal = (text: string): boolean => LOCAL_FILE.test(text) && !DATA.test(text);
const LOADS_AGENT = /(?:^|\s)-(?:java)?agent\w*:|--?(?:fplugin|wrapper|toolexec|exec\w*|require|import)\b/;

/** They turn a protection off. */
const INSECURE =
  /^(?:NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY|HIST(?:FILE|SIZE|FILESIZE|CONTROL)|\w*(?:INSECURE|NO_VERIFY|SKIP_VERIFY)\w*)$/i;
const NAMES_FILE =
  /(?:RC|CONFIG|GEMFILE|COMMAND|CMD|WRAPPER|HOOKS?|PLUGINS?|LIB|BIN|TOOLCHAIN_FILE|RUSTC|GOROOT|SCAN_DIR|RC_FILENAME|(?:EXECUTABLE|CHROME|BROWSER)_PATH|(?:CONFIG|CURL|COMPOSER|LIB\w*)_(?:PATH|HOME|FILE|DIR))$/i;
const NAMES_ANY = /^(?!(?:TMP|TEMP|OUT|LOG|DEST|TARGET)\w*$)/i;

const SETS_VARIABLES = /^(?:make|gmake|export|declare|typeset|env|sudo|readonly|local|set|setx)$/;

function isHarmlessAssignment({ name, value }: { name: string; value: string }): boolean {
  return (
    /^(?:IFS|PYTHONPATH)$/.test(name) ||
    HARMLESS_NAME.test(name) ||
    HARMLESS_VALUE.test(value) ||
    value === LISTED ||
    (name === 'PATH' && !/(?:^|:)(?:\/tmp|\.{0,2}(?::|$)|\.\/(?!node_modules))|\0/.test(value)) ||
    (/^PS\d$/.test(name) && !/[$`]/.test(value))
  );
}

function assignmentIn(arg: string): { name: string; value: string }[] {
  const found = /^([A-Za-z_][\w%]*)=(.*)$/s.exec(arg.replace('()', ''));
  return found ? [{ name: (found[1] ?? '').replace(/%+$/, ''), value: found[2] ?? '' }] : [];
}

function lookAtPlaces(name: string, command: SimpleCommand): ScriptFinding | undefined {
  const { args, folder, assignments } = command;
  for (const { value } of assignments) if (dangerOfPath(value) === 'secret') return secretFinding(value);
  if (programs.TEXT_ONLY.has(name) || (name === '' && args.length === 0)) return undefined;
  let texts: ReadonlySet<number> | undefined;
  for (const [at, arg] of args.entries()) {
    const path = inFolder(arg, folder);
    const found = dangerOfPath(arg) ?? (path === arg ? undefined : dangerOfPath(path)) ?? secretWithin(arg);
    // A path may follow an option or a host name.
    const value = /[~/]/.test(arg) ? /^(?:--?[\w-]+=|[^/~]*[:@])([~/].*)$/.exec(arg)?.[1] : undefined;
    const whole = [arg.startsWith('-') ? '' : path, value ?? ''].find(
      (each) => isWholeSystem(each) || CONFIG_FOLDER.test(each),
    );
    if (found === undefined && whole === undefined) continue;
    texts ??= new Set(textArguments(name, args));
    if (texts.has(at)) continue;
    if (found === 'secret') return secretFinding(path);
    if (found === 'device' && !LISTS_DEVICES.has(name))
      return dangerFinding(say`It accesses the device ${displayText(path)}.`);
    if (found !== undefined && isWritten(found, name, command, at)) {
      const shown = displayText(path);
      return dangerFinding(
        found === 'system'
          ? say`It writes to ${shown}, which is a system file.`
          : say`It writes to ${shown}, which runs automatically.`,
      );
    }
    if (whole !== undefined && takesAll(name, args))
      return dangerFinding(say`It processes everything in ${displayText(whole)}.`);
  }
  return searchedSecret(name, command);
}

/** A program of which nothing is known may write to a file that runs automatically. */
function isWritten(danger: string, name: string, { args }: SimpleCommand, at: number): boolean {
  const [arg = '', before = ''] = [args[at], args[at - 1]];
  if (OUTPUT.test(arg) || OUTPUT.test(before)) return true;
  const isCopy = /^(?:cp|install|ln|scp|rsync)$/.test(name);
  const isTarget = isCopy
    ? arg === args.findLast((each) => !each.startsWith('-'))
    : name !== 'git' || /config/.test(arg);
  if (isTarget && writesFiles(name, args)) return true;
  const isRead = [READERS, programs.BUILDS, programs.EDITORS].some((list) => list.has(name));
  return danger === 'startup' && !isRead && !/^(?:\.|source|export)$/.test(name);
}

const OUTPUT = /^(?:-[a-zA-Z]*o|--out(?:put)?(?:-\w+)?)(?:=|$)/;

/** Folders with the settings of all programs. */
const CONFIG_FOLDER = /^(?:~|\/home\/[^/]+)\/\.(?:config|local\/share)\/?$/;
const LISTS_DEVICES = new Set(['ls', 'stat', 'lsblk', 'test', '[', 'blkid', 'file', 'df']);
/** Detects a search for file names of secrets whose result the next command reads. */
function searchedSecret(name: string, { args, isInner, next }: SimpleCommand): ScriptFinding | undefined {
  if (!/^(?:grep|egrep|fgrep|rg|locate|mdfind|find|fd)$/.test(name)) return undefined;
  if (!isInner && !args.includes('-exec') && !/^(?:xargs|while)$/.test(next?.program ?? '')) return undefined;
  const names = args.filter((arg) => !arg.startsWith('-')).map((arg) => arg.replace(/[\\^$]/g, ''));
  const secret = names.find(
    (arg) => dangerOfPath(`.${arg.replace(/^\.+/, '')}`) === 'secret' || dangerOfPath(arg) === 'secret',
  );
  return secret === undefined ? undefined : secretFinding(secret);
}

function takesAll(name: string, args: readonly string[]): boolean {
  if (name === 'find' || name === 'fd') return args.some((arg) => /^-{1,2}(?:delete|exec\w*|ok\w*|x|X)$/.test(arg));
  if (/^(?:grep|docker)$/.test(name))
    return args.some((arg) => /^(?:-[a-z]*[rRv][a-z]*|build|--recursive|--volume\S*|--mount\S*)$/i.test(arg));
  return !programs.LISTERS.has(name) && !TAKES_ONE.test(name);
}

/** They take single files, or no paths at all. */
const TAKES_ONE =
  /^(?:tr|cut|paste|sort|xargs|awk|sed|jq|column|curl|wget|http|kubectl|npm|psql|cat|node|vitest|journalctl|lsof)$/;

function writesFiles(name: string, args: readonly string[]): boolean {
  const option = WRITING_OPTIONS.get(name);
  return programs.WRITERS.has(name) && (!option || args.some((arg) => option.test(arg)));
}

/** Writers that change a file only with one of these options. */
const WRITING_OPTIONS = programs.byName([
  ['sed perl ruby awk gawk', /^-[a-zA-Z.]*i|^--in-place/],
  ['git', /^(?:-f|--file)$/],
  ['tar bsdtar', /^-?[a-zA-Z]*x|^--extract|^-C$/],
  ['curl wget sort jq yq openssl unzip prettier', /^(?:-[a-zA-Z]*[oOPd]|--output\S*|--write|-i|-out)$/],
  ['echo printf cat', /(?!)/],
]);

/** Arguments that are texts: search terms, messages, filter programs. */
function textArguments(name: string, args: readonly string[]): number[] {
  const own = TEXT_OPTIONS.get(name);
  const isText = (option: string): boolean => TEXT_OPTION.test(option) || own?.test(option) === true;
  const skipped = args.flatMap((arg, at) =>
    isText(args[at - 1] ?? '') || (/^--[\w-]+=/.test(arg) && isText(arg.replace(/=.*/s, ''))) ? at : [],
  );
  if (!SEARCHES.test(name) || args.some((arg) => /^(?:-[a-zA-Z]*[ef]|--regexp|--file)$/.test(arg))) return skipped;
  const first = args.findIndex(
    (arg, at) => !arg.startsWith('-') && !/^-(?:[ABCm]|-max-count|-context|g|t|T)$/.test(args[at - 1] ?? ''),
  );
  return first === -1 ? skipped : [...skipped, first];
}

const SEARCHES = /^(?:grep|egrep|fgrep|rg|ag|ack|sed|awk|gawk|jq|yq|perl|tr|expr|pgrep|pkill)$/;
/** Options of any program whose value is only text. */
const TEXT_OPTION = /^--(?:user-agent|message|title|body|description|grep|author|regexp|testNamePattern|expression)$/;
const TEXT_OPTIONS: ReadonlyMap<string, RegExp> = programs.byName([
  ['curl http', /^-[HAXw]$|^--(?:header|request|write-out)$/],
  ['git', /^-(?:[a-z]*m|[SG])$|^--(?:format|pretty)$/],
  ['gh glab', /^-[tbdq]$|^--(?:search|json|jq|label)$/],
  ['grep rg', /^-[eg]$|^--(?:include|exclude|exclude-dir|glob)$/],
  ['find', /^-(?:i?name|i?path|i?regex|wholename|not)$/],
  ['vitest npx', /^-[tg]$/],
  ['sed node python tree', /^-[epcIP]$|^--(?:eval|print)$/],
]);

/** @internal */
export function secretFinding(path: string): ScriptFinding {
  return dangerFinding(say`It accesses ${displayText(path)}, which may contain secrets.`);
}

function lookAtRedirects(name: string, command: SimpleCommand): ScriptFinding | undefined {
  for (const { operator, target } of command.redirects) {
    if (operator.startsWith('<<')) {
      if (secretWithin(target) && !READERS.has(name)) return secretFinding(target);
      continue;
    }
    const path = inFolder(target, command.folder);
    const found = dangerOfPath(path) ?? dangerOfPath(target);
    if (found === 'secret') return secretFinding(path);
    if (/^\/dev\/(?:tcp|udp)\//.test(path)) return dangerFinding(say`It opens a connection: ${displayText(path)}.`);
    if (operator === '<' || operator === '<&' || /^[\d-]+$/.test(target)) continue;
    if (found === 'device') return dangerFinding(say`It writes to the device ${displayText(path)}.`);
    if (found !== undefined)
      return dangerFinding(say`It writes to ${displayText(path)}, which is a system file or runs automatically.`);
    const isNoise = command.args.some((arg) => /^\/dev\/(?:u?random|zero|null)$/.test(arg));
    const isEmptied = (/^(?::|true|)$/.test(name) || isNoise) && operator === '>' && command.next === undefined;
    if (isEmptied && (isDynamic(path) || isPersonal(path) || isWork(path)))
      return dangerFinding(say`It empties ${displayText(path)}.`);
    if (path === UNKNOWN && operator !== '>&')
      return unclearFinding(say`The file that it writes is not known in advance.`);
  }
  return undefined;
}

function lookAtEnvironment(name: string, { args, next }: SimpleCommand): ScriptFinding | undefined {
  const [first = ''] = args.filter((arg) => !arg.startsWith('-'));
  const isAll =
    (name === 'printenv' && args.some((arg) => SECRET_VARIABLES.test(arg))) ||
    (name === 'ps' && args.some((arg) => /^[a-z]*e[a-z]*$/.test(arg) && /ww|e$/.test(arg))) ||
    (name === 'jq' && /(?:^|[^.\w"])(?:env\b|\$ENV)/.test(first)) ||
    (/^(?:npm|pnpm|yarn)$/.test(name) && args.includes('run') && args.at(-1) === 'env');
  if (isAll) return ENVIRONMENT;
  if (!programs.PRINTS_ENVIRONMENT.has(name)) return undefined;
  const isList = /^(?:declare|typeset|export|readonly|compgen)$/.test(name);
  const printsAll = name === 'env' ? envPrints(args) : args.every((arg) => isList && /^-[pxve]+$/.test(arg));
  return printsAll && !(next && looksUpOne(next)) ? ENVIRONMENT : undefined;
}

/** True if the next command passes only a variable that contains no secret. */
function looksUpOne({ program, args }: SimpleCommand): boolean {
  const pattern = args.find((arg) => !arg.startsWith('-')) ?? '';
  const isSearch = /^(?:e?grep|rg)$/.test(program) && !args.some((arg) => /^-[a-z]*v/.test(arg));
  return isSearch && /^\^?\w{3,}/.test(pattern) && !SECRET_VARIABLES.test(pattern);
}

const ENVIRONMENT = dangerFinding(say`It prints environment variables, which may contain secrets.`);

function envPrints(args: readonly string[]): boolean {
  const isOther = args.some((arg) =>
    /^(?:-i|-|--ignore-environment|-S.*|--split-string.*|--help|--version)$/s.test(arg),
  );
  return !isOther && args.every((arg, at) => /^-|^\w+=/.test(arg) || /^-[uC]$/.test(args[at - 1] ?? ''));
}

/** Toolyard's own data, port and commands. */
function lookAtOwn(name: string, command: SimpleCommand, { own }: Context): ScriptFinding | undefined {
  const { args, folder, redirects } = command;
  const texts = [...args, ...redirects.map(({ target }) => target)];
  if (name === 'kill' && texts.includes(UNKNOWN) && texts.some((text) => /^-(?:USR|HUP|9|KILL|STOP|s)/.test(text)))
    return unclearFinding(say`The process that it signals is not known in advance.`);
  if (/^(?:kill|pkill|killall)$/.test(name) && (texts.at(-1) === '-1' || texts.at(-1) === '1'))
    return dangerFinding(say`It kills every process.`);
  if (programs.TEXT_ONLY.has(name) || name === 'git') return undefined;
  const inside = folder === undefined ? [] : [folder, ...texts.map((text) => inFolder(text, folder))];
  if ([...texts, ...inside].some((text) => touchesToolyard(text, own))) return TOUCHES_TOOLYARD;
  const isOwn = (text: string): boolean =>
    /^(?:.*\/)?toolyard(?:@[\w.]+|\.service)?$|packages\/cli\/(?:dist|src)\//.test(text);
  return !READERS.has(name) && texts.some(isOwn) ? TOUCHES_TOOLYARD : undefined;
}

export const TOUCHES_TOOLYARD = dangerFinding(say`It accesses Toolyard itself, which enforces permissions.`);

/** Detects Toolyard's data folder and port in any text. */
export function touchesToolyard(text: string, { dataFolder, port }: ProtectedTargets): ScriptFinding | undefined {
  if (
    /toolyard(?:[/\\](?:secret|server\.json|mcp\.json|config\.json|lock\.db|files|blobs)|\.db)|\*toolyard\*/i.test(text)
  )
    return TOUCHES_TOOLYARD;
  if (dataFolder !== undefined && dataFolder.length > 1 && text.toLowerCase().includes(dataFolder.toLowerCase()))
    return TOUCHES_TOOLYARD;
  if (port === undefined || !text.includes(`:${port}`)) return undefined;
  return new RegExp(
    `(?:localhost|\\[[^\\]]*\\]|\\b(?:0x)?[\\da-f.]+|host\\.docker\\.internal|TCP|^|[\\s/@"']):${port}(?!\\d)`,
    'i',
  ).test(text)
    ? TOUCHES_TOOLYARD
    : undefined;
}

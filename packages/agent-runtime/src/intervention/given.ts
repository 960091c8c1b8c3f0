import { say } from '@toolyard/protocol';
import { displayText, inspectCode } from './inline-code.ts';
import { DATA, FETCHES, MANIFEST, PASSES_ON, READERS } from './new-files.ts';
import { isPlainProse } from './plain-prose.ts';
import * as programs from './programs.ts';
import type { ScriptFinding, SimpleCommand } from './shell-script.ts';
import { dangerFinding } from './shell-script.ts';
import { remembering } from './shell-text.ts';
import { CONTAINERS, isWrapper } from './wrappers.ts';

/** Options whose value is a program, a library or a script, in the usual words of any program. */
const RUNS =
  /^--?(?:[\w-]*(?:exec|command|cmd|shell|pager|program|plugins?|wrapper|askpass|editor|hooks?|interpreter|handler|agent|loader|renderer|specs|external|rcfile|split-string)|(?:[a-z]+-)*(?:exec-[\w-]+|execdir|filter|pre|preview|rsh|bin|prog|compressor|compress-prog\w*|upload-pack|receive-pack|open-files-in-pager|extcmd|toolexec|engine|agent(?:lib|path)|preload|load|script|browser|viewer|up|down|init-file|on-[a-z-]+|bind|auto-\w+-file|extension|kubeconfig|strip-program)(?:-path|-dir)?)$/i;
const SELECTS = programs.names('pnpm yarn npm turbo lerna nx rush dotnet vitest jest bun');
/** The same as single letters. */
const RUNS_SHORT = programs.byName([
  ['scp sftp', /^-[SD]$/],
  ['rsync', /^-[a-zA-Z]*e$/],
  ['zip', /^-TT$/],
  ['tar bsdtar', /^-[IF]$/],
  ['man', /^(?:-[PH]|--html)$/],
  ['node ruby', /^(?:-r|--require|--import)$/],
  ['ssh', /^-[IF]$/],
  ['tcpdump', /^-z$/],
  ['git', /^-[xO]$/],
  ['tmux', /^-c$/],
  ['env', /^-[a-z]*S$/],
]);
const PROJECTS = programs.names('docker docker-compose podman kubectl ansible-playbook terraform tofu helm');
const IS_PROGRAM = /^(?:\.{0,2}\/|~)\S|^[!|]|^[A-Za-z]:\\/;
export const SHELL = /(?:^|[^\w#/.]|[^#]!)\/(?:usr\/)?(?:local\/)?bin\/(?:ba|z|da|k|c|tc|a)?sh(?![\w.-])/;
const IS_SHELL = /^!?(?:ba|z|da|k)?sh(?:$|[\s,]+[-#\d<])/;
const PROGRAMS = [IS_PROGRAM, IS_SHELL, SHELL];
/** Text that starts a shell when a program reads it. */
export function startsShell(text: string): boolean {
  return STARTS.test(text) || SHELL.test(text) || /^\s*[:\\]?!\s*\w/m.test(text);
}

/** A call that starts a program, in languages that are not parsed, and escapes to a shell. */
const STARTS =
  /\b(?:system|popen|os\.execute|shell_exec|passthru|shell-command\w*|e?syscmd|load_extension)\s*[("'`\s]\s*["'`/(\\]|\\?write18|%\{lua:|%\(\s*[/\w]+|\bext::|%pipe%|\bexec:\s*\w|^\/exec\s|^(?=[^\s()|]*[/.])[^\s()|]*\|\s*[a-z]|\b(?:exec|spawn)\w*\s*\(\s*["'`[]|\$\(shell\b|\brun\s*\(`|(?:^[+:%]|[:=+])!\s*\w|^-{1,2}(?:enable-)?shell-escape$/;
/** Options whose value is code of the program itself. */
const EVALUATES = /^--?(?:eval|execute|batch-interpreter)(?:-\w+)?$/;
const MAY_EVALUATE = /^-[ce]$|^--?(?:code|expr\w*)$/;
/** Options that name a configuration. */
const CONFIGURES = /conf|repo|option|rc$|rc-?file|init|script|plugin|lib|module|profile|template|^-[cfF]$/i;
const CODE = /\.(?:py|[cm]?[jt]s|rb|pl|php|sh|lua|jar|so|dylib|jl|ps1|exe)$/i;
const WRITES_TO = /out|cache|te?mp|log|report|dest|target|^-[otvw]$|volume|mount|profile/i;
/** A file that is neither of the system nor named by the shell's search path. */
export const LOCAL_FILE = /^(?:\.{0,2}\/(?!usr\/|opt\/|home\/|etc\/|dev\/|bin\/)|~)/;
const DECLARES = /\.(?:ya?ml|toml|ini|env|properties|tf|tfvars|lock|proto|graphql|cnf|cfg|sql)$/i;
export const IN_OPEN_FOLDER = /^\/(?:tmp|var\/tmp|dev\/shm)(?:\/|:|$)/;

/**
 * A program may run what it is given. Flagged are: a program, library or shell as the value of an option, a shell or a
 * call that starts one in any argument, an argument that is a dangerous command, and anything that a tool loads from a
 * world-writable folder. Not where a program only shows, searches or passes on its arguments.
 */
export function inspectGiven(
  name: string,
  { args }: Pick<SimpleCommand, 'args'>,
  inspect?: (script: string) => ScriptFinding | undefined,
  skipped: () => readonly number[] = () => [],
): ScriptFinding | undefined {
  const short = RUNS_SHORT.get(name);
  if ((programs.TEXT_ONLY.has(name) && !short) || programs.SHELLS.has(name)) return undefined;
  const onlyOptions =
    READERS.has(name) ||
    programs.TEXT_ONLY.has(name) ||
    CONTAINERS.test(name) ||
    (isWrapper(name) && name !== 'parallel');
  const isMover = READERS.has(name) || PASSES_ON.has(name) || FETCHES.has(name);
  const loads = !isMover && (programs.INTERPRETERS.has(name) || programs.BUILDS.has(name) || PROJECTS.has(name));
  let operands = 0;
  let texts: readonly number[] | undefined;
  for (const [at, arg] of args.entries()) {
    // A plain word is neither a path nor a command.
    if (/^\w[\w.@:]*$/.test(arg) && args[at - 1]?.startsWith('-') !== true) {
      operands++;
      continue;
    }
    const { named, value, text, isSet } = splitParts(arg, args[at - 1] ?? '');
    const isOption = isSet || named !== '';
    const isRun = isOption && (runs(named, name) || short?.test(named) === true);
    if (/^\+[:!]/.test(arg) || (isRun && !/^SHELL=/.test(arg) && PROGRAMS.some((pattern) => pattern.test(value))))
      return dangerFinding(say`It gives ${name} a command: ${displayText(arg)}.`);
    const isLoaded = loads
      ? (isOption || (!arg.startsWith('-') && operands++ < 2)) && !WRITES_TO.test(named)
      : !isMover && ((isOption && CONFIGURES.test(named)) || CODE.test(value));
    // Files of settings are declarations; anything else may contain commands.
    if (!loads && isLoaded && isOption && LOCAL_FILE.test(value) && !DECLARES.test(value) && !DATA.test(value))
      return dangerFinding(say`It gives ${name} a command: ${displayText(value)}.`);
    if (isLoaded && IN_OPEN_FOLDER.test(value) && (!DATA.test(value) || MANIFEST.test(value)))
      return dangerFinding(say`It runs ${displayText(value)} from a world-writable folder.`);
    if (isOption && /^(?:none|false|off|)$/.test(value) && /(?:auth\w*|token|password)$/i.test(named))
      return dangerFinding(say`${name} runs other commands, or gives others access.`);
    if (onlyOptions && !isRun) continue;
    texts ??= skipped();
    if (texts.includes(at)) continue;
    const isShell = (SHELL.test(arg) && !/^SHELL=/.test(arg)) || (isOption && IS_SHELL.test(value) && /\s/.test(value));
    const isCode =
      (STARTS.test(arg) && !/glob|clude|ignore/.test(named)) ||
      (!programs.DATABASES.has(name) &&
        named !== '' &&
        (EVALUATES.test(named) || (MAY_EVALUATE.test(named) && /[(`]/.test(text) && inspectCode(text) !== undefined)));
    if (isShell || (isCode && !programs.CODE_OPTIONS.has(name)))
      return dangerFinding(say`It gives ${name} a command: ${displayText(arg)}.`);
    const isText = DATA_OPTIONS.test(named) || programs.DATABASES.has(name) || FETCHES.has(name);
    if (isText || !/\s/.test(text) || /^\s*(?:[[{<]|"[^"]*"(?!:))/.test(text)) continue;
    const inner = /\w\((.*)\)$/s.exec(text)?.[1];
    const script = (inner ?? text).replace(/^(?:"[^"]*":|[+:%!|\s])+/, '');
    if (IS_SHELL.test(script)) return dangerFinding(say`It gives ${name} a command: ${displayText(script)}.`);
    const finding = isPlainProse(script) ? undefined : inspect?.(script);
    if (finding?.kind === 'danger') return finding;
  }
  return undefined;
}

/** An argument as `--option=value`, `-Ivalue`, `setting=value`, or as the value of the option before it. */
function splitParts(arg: string, before: string): { named: string; value: string; text: string; isSet: boolean } {
  const [, option, attached = arg] =
    /^(--?[\w-]+)[=:](.*)$/s.exec(arg) ?? /^(-[A-Za-z])([~/.].*|\S+\s.*)$/s.exec(arg) ?? [];
  const [, setting, set] = /^@?([\w.:-]+)(?:=|\s|:(?=\.{0,2}\/))+["']?([^"']*)/s.exec(attached) ?? [];
  if (set !== undefined && set !== '' && (!/\s/.test(attached) || PROGRAMS.some((pattern) => pattern.test(set))))
    return { named: `--${setting ?? ''}`, value: set, text: attached, isSet: true };
  const named = option ?? (before.startsWith('-') && !arg.startsWith('-') ? before : '');
  return { named, value: attached.replace(/^@/, ''), text: attached, isSet: false };
}

/** Monorepo tools select packages by filters. */
function runs(named: string, name: string): boolean {
  return namesProgram(named) && !(/filter$/.test(named) && SELECTS.has(name));
}

const namesProgram = remembering((named) =>
  named
    .replaceAll('_', '-')
    .split(/[.:]+/)
    .some((each) => RUNS.test(`--${each.replace(/^-+/, '')}`)),
);

const DATA_OPTIONS =
  /^(?:-[kmt]|--(?:data\S*|form|header|body|message|title|description|format|grep|name|text|prompt))$/;

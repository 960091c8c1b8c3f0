import { displayText } from './inline-code.ts';
import { DATA, FETCHES, MANIFEST, READERS } from './new-files.ts';
import { isPlainProse } from './plain-prose.ts';
import * as programs from './programs.ts';
import type { ScriptFinding, SimpleCommand } from './shell-script.ts';
import { dangerFinding } from './shell-script.ts';
import { isWrapper } from './wrappers.ts';

/** Options whose value is a program, a library or a script, in the usual words of any program. */
const RUNS =
  /^--?(?:[a-z]+-)*(?:exec(?:-path|-batch|dir)?|pre|pager|preview|rsh|bin|command|cmd|program|prog|shell|unzip-command|compressor|upload-pack|receive-pack|open-files-in-pager|extcmd|askpass|wrapper|toolexec|engine|f?plugins?|javaagent|agent(?:lib|path)|preload|load|script|editor|browser|viewer|interpreter|hooks?|handler|filter|on-[a-z]+)(?:-path|-dir)?$/;
/** The same as single letters. */
const RUNS_SHORT = programs.byName([
  ['scp sftp', /^-[SD]$/],
  ['rsync', /^-[a-zA-Z]*e$/],
  ['zip', /^-TT$/],
  ['tar bsdtar', /^-[IF]$/],
  ['man', /^-[PH]$/],
  ['tcpdump', /^-z$/],
  ['git', /^-[xO]$/],
  ['tmux', /^-c$/],
]);
const IS_PROGRAM = /^(?:\.{0,2}\/|~)\S|^[!|]|^[A-Za-z]:\\/;
export const SHELL = /(?:^|[^\w#/.]|[^#]!)\/(?:usr\/)?(?:local\/)?bin\/(?:ba|z|da|k|c|tc|a)?sh(?![\w.-])/;
const IS_SHELL = /^!?(?:ba|z|da|k)?sh(?:$|\s+[-#\d<])/;
/** A call that starts a program, in languages that are not parsed, and escapes to a shell. */
const STARTS =
  /\b(?:system|popen|os\.execute|shell_exec|passthru|shell-command\w*|e?syscmd|load_extension)\s*[("'`\s]\s*["'`/(\\]|\\?write18|%\{lua:|%\(\s*[/\w]+|\$\(shell\b|\brun\s*\(`|(?:^[+:%]|[:=+])!\s*\w/;
const WRITES_TO = /out|cache|te?mp|log|report|dest|target|prefix|dir$|^-[ot]$/i;
const IN_OPEN_FOLDER = /^\/(?:tmp|var\/tmp|dev\/shm)(?:\/|:|$)/;

/**
 * A program may run what it is given. Flagged are: a program, library or shell as the value of an option, a shell or a
 * call that starts one in any argument, an argument that is a dangerous command, and anything that a tool loads from a
 * world-writable folder. Not where a program only shows, searches or passes on its arguments.
 */
export function inspectGiven(
  name: string,
  { args }: SimpleCommand,
  skipped: ReadonlySet<number>,
  inspect: (script: string) => ScriptFinding | undefined,
): ScriptFinding | undefined {
  if (programs.TEXT_ONLY.has(name) || programs.SHELLS.has(name)) return undefined;
  const isReader = READERS.has(name);
  const short = RUNS_SHORT.get(name);
  let isFirst = true;
  for (const [at, arg] of args.entries()) {
    const before = args[at - 1] ?? '';
    const [, option = '', attached] = /^(--?[\w-]+)=(.*)$/s.exec(arg) ?? [];
    const named = attached === undefined ? before : option;
    // The value may be a setting of its own: `core.pager=x`.
    const [, setting = '', set] = /^([\w.:-]+)=+["']?([^"']*)/s.exec(attached ?? arg) ?? [];
    const value = option === '' && set !== undefined ? set : (attached ?? arg);
    const isSet = set !== undefined && RUNS.test(`--${setting.replace(/^.*[.:]/, '')}`);
    const isValue = attached !== undefined || (before.startsWith('-') && !arg.startsWith('-'));
    const isRun = (isValue && (RUNS.test(named) || short?.test(named) === true)) || isSet;
    if (/^\+[:!]/.test(arg)) return dangerFinding(`It gives ${name} a command: ${displayText(arg)}.`);
    if (isRun && (IS_PROGRAM.test(value) || IS_SHELL.test(value) || SHELL.test(value)) && !/^SHELL=/.test(arg))
      return dangerFinding(`${name} ${named} runs ${displayText(value)}.`);
    if (skipped.has(at)) continue;
    if (!isRun && (isReader || CONTAINERS.test(name) || (isWrapper(name) && name !== 'parallel'))) continue;
    if (SHELL.test(arg) && !/^SHELL=/.test(arg)) return dangerFinding(`It gives ${name} a shell: ${displayText(arg)}.`);
    if (!programs.CODE_OPTIONS.has(name) && STARTS.test(arg) && !/^-\w*(?:glob|clude|ignore)/.test(named))
      return dangerFinding(`It gives ${name} a command: ${displayText(arg)}.`);
    if (isValue && IS_SHELL.test(value) && /\s/.test(value)) return dangerFinding(`It gives ${name} a shell.`);
    const isLoaded = programs.INTERPRETERS.has(name) || programs.BUILDS.has(name);
    const isOperand = !arg.startsWith('-') && isFirst;
    if (isOperand) isFirst = false;
    if (
      isLoaded &&
      (isValue || isOperand) &&
      IN_OPEN_FOLDER.test(value.replace(/^\w+=/, '')) &&
      (!DATA.test(value) || MANIFEST.test(value)) &&
      !WRITES_TO.test(named)
    )
      return dangerFinding(`${name} loads ${displayText(value)} from a world-writable folder.`);
    if (
      !/\s/.test(value) ||
      DATA_OPTIONS.test(named) ||
      /^\s*[[{<"]/.test(value) ||
      programs.DATABASES.has(name) ||
      FETCHES.has(name)
    )
      continue;
    const script = value.replace(/^[+:%!|\s]+/, '');
    const finding = isPlainProse(script) ? undefined : inspect(script);
    if (finding?.kind === 'danger') return finding;
  }
  return undefined;
}

const CONTAINERS = /^(?:docker|podman|nerdctl|kubectl|oc|docker-compose)$/;
const DATA_OPTIONS =
  /^(?:-[mt]|--(?:data\S*|form|header|body|message|title|description|format|grep|name|text|prompt))$/;

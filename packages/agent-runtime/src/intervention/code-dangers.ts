import { say } from '@toolyard/protocol';
import { inspectCode, displayText } from './inline-code.ts';
import { IN_OPEN_FOLDER, startsShell } from './given.ts';
import type { NewFiles } from './new-files.ts';
import { READERS } from './new-files.ts';
import * as programs from './programs.ts';
import type { ScriptFinding, SimpleCommand } from './shell-script.ts';
import { dangerFinding, findInput, unclearFinding } from './shell-script.ts';
import { hasUnknown, PROCESS_OUTPUT, UNKNOWN } from './shell-text.ts';
import { inFolder, readsScript } from './shell-values.ts';
import { CONTAINERS } from './wrappers.ts';

/** Programs that run code: from arguments, from input, or from a file that an earlier command wrote. */

export type CodeContext = {
  commands: readonly SimpleCommand[];
  newFiles: NewFiles;
  /** Analyzes a shell script. */
  inspect: (script: string) => ScriptFinding | undefined;
};

export function inspectCodeCommand(
  name: string,
  command: SimpleCommand,
  context: CodeContext,
): ScriptFinding | undefined {
  const { args, folder, words } = command;
  const program = words[0] ?? '';
  const text = context.newFiles.findText(inFolder(program, folder));
  if (program.includes('/') && typeof text === 'string') return context.inspect(text);
  // Texts that the program reads: its input, and files that an earlier command wrote.
  const texts = [
    findInput(command),
    ...(context.newFiles.isEmpty ? [] : args.map((arg) => context.newFiles.findText(inFolder(arg, folder)))),
  ];
  if (
    !READERS.has(name) &&
    !programs.SHELLS.has(name) &&
    !programs.TEXT_ONLY.has(name) &&
    texts.some((each) => startsShell(each ?? ''))
  )
    return dangerFinding(say`${name} runs its input.`);
  const used = context.newFiles.usedBy(command, name);
  if (used) return used;
  const reader = programs.SHELLS.has(name) || name === 'source' || name === '.';
  const isFetched = (): boolean => context.commands.some((each) => programs.DOWNLOADS.has(each.program));
  const mayRun = reader || programs.INTERPRETERS.has(name);
  if (args.some((arg) => arg.includes(PROCESS_OUTPUT)) && (mayRun || (!READERS.has(name) && isFetched())))
    return dangerFinding(say`${name} runs the output of another command.`);
  if (IN_OPEN_FOLDER.test(program)) return runsFromOpenFolder(program);
  if (name === 'eval' && args.some(hasUnknown)) return runsUnknown(context);
  if (
    programs.EDITORS.has(name) &&
    args.some((arg) => EDITOR_COMMAND.test(arg)) &&
    !/^(?:less|more|code|man)$/.test(name)
  )
    return dangerFinding(say`${name} runs other commands.`);
  if (name === 'sed') return inspectSed(args);
  if (/^(?:pwsh|powershell)$/.test(name)) return dangerFinding(say`PowerShell commands cannot be analyzed.`);
  if (programs.SHELLS.has(name) && args.some((arg) => /^-[A-Za-z]*c[A-Za-z]*$/.test(arg))) {
    const script = args.slice(args.findIndex((arg) => /^-[A-Za-z]*c[A-Za-z]*$/.test(arg)) + 1);
    return hasUnknown(script.find((arg) => !arg.startsWith('-')) ?? UNKNOWN) ? runsUnknown(context) : undefined;
  }
  const option = programs.CODE_OPTIONS.get(name);
  const at = option === undefined ? -1 : args.findIndex((arg) => option.test(arg));
  if (option !== undefined && at !== -1) {
    if (name !== 'php' && args.some((arg) => LOADS_LIBRARY.test(arg)))
      return dangerFinding(say`${name} loads a library.`);
    const code = args.slice(at + 1).find((arg) => !arg.startsWith('-')) ?? (args[at] ?? '').replace(option, '');
    return hasUnknown(code) ? runsUnknown(context) : inspectCode(code);
  }
  if (/awk$/.test(name) && !args.includes('-f'))
    return inspectCode(args.find((arg, index) => !arg.startsWith('-') && !/^-[Fv]$/.test(args[index - 1] ?? '')) ?? '');
  return reader || programs.INTERPRETERS.has(name) ? lookAtScriptFile(name, command, context) : undefined;
}

const EDITOR_COMMAND = /^(?:-[ces]\w*|\+(?!\d+$).+|--(?:cmd|eval|script|batch|headless|load|execute)\S*|-S|-u|-l|-f)$/;
const LOADS_LIBRARY = /^-r\S+|^-I|^-l\w|^-M(?!\w*(?:List|POSIX|strict|JSON))\w/;

function lookAtScriptFile(name: string, command: SimpleCommand, context: CodeContext): ScriptFinding | undefined {
  const { args, folder, redirects, sources } = command;
  if (/^(?:go|cargo|java|deno|bun|make|gmake|groovy|swift)$/.test(name) && !readsInput(name, args)) return undefined;
  const file = args.find((arg, at) => !/^[-+]/.test(arg) && !/^-[WXoO]$/.test(args[at - 1] ?? ''));
  const module = args.indexOf('-m');
  if (/^python/.test(name) && module !== -1)
    return /^(?:http\.server|pdb|code|pickle|smtpd|webbrowser|pty|timeit)$/.test(args[module + 1] ?? '')
      ? dangerFinding(say`It serves files, or runs code.`)
      : undefined;
  const isStdin =
    file === undefined ||
    file === '-' ||
    args.includes('-') ||
    args.includes('-s') ||
    /^\/dev\/(?:stdin|fd)/.test(file);
  if (!isStdin) {
    if (hasUnknown(file)) return unclearFinding(say`The program that it runs is not known in advance.`);
    if (IN_OPEN_FOLDER.test(file)) return runsFromOpenFolder(file);
    const text = context.newFiles.findText(inFolder(file, folder));
    if (text === undefined) return dangerFinding(say`It runs ${displayText(file)}, which an earlier command wrote.`);
    return text === null ? undefined : context.inspect(text);
  }
  if (args.some((arg) => /^(?:--version|--help|-v|-V|-h|-n)$/.test(arg))) return undefined;
  const input = findInput(command);
  if (input === undefined) {
    const readsNothing = sources.length === 0 && redirects.every(({ operator }) => !operator.startsWith('<'));
    if (readsNothing && name !== 'source' && name !== '.')
      return args.length === 0 && !(command.isInner && context.commands.some(({ program }) => CONTAINERS.test(program)))
        ? unclearFinding(say`${name} runs its input.`)
        : undefined;
    return dangerFinding(say`${name} runs the output of another command.`);
  }
  if (hasUnknown(input)) return runsUnknown(context);
  return readsScript(command) ? undefined : inspectCode(input);
}

function runsFromOpenFolder(file: string): ScriptFinding {
  return dangerFinding(say`It runs ${displayText(file)} from a world-writable folder.`);
}

function runsUnknown({ commands }: CodeContext): ScriptFinding {
  const isFetched = commands.some(({ program }) => programs.DOWNLOADS.has(program));
  return isFetched
    ? dangerFinding(say`It runs downloaded or decoded code.`)
    : unclearFinding(say`The code that it runs is not known in advance.`);
}

function readsInput(name: string, args: readonly string[]): boolean {
  return /^g?make$/.test(name) && args.some((arg, at) => arg === '-' && /^-\w*f$|^--file$/.test(args[at - 1] ?? ''));
}

function inspectSed(args: readonly string[]): ScriptFinding | undefined {
  const script = args
    .filter((arg, at) => !arg.startsWith('-') || /^-e$/.test(args[at - 1] ?? ''))
    .slice(0, 2)
    .join('\n');
  if (args.some((arg) => /^-[a-zA-Z]*i|^--in-place/.test(arg)) && /^(?:1,\$)?\s*d$/m.test(script))
    return dangerFinding(say`sed deletes every line of a file.`);
  return /(?:^|[;\n{}]|\d|\/)\s*(?:[ew]\s+\S|e$)|\/[gIp\d]*[ew](?:\s|$)/.test(script.replace(/\\./g, '')) &&
    !/^s\/[^/]*\/[^/]*\/g?p?$/.test(script)
    ? dangerFinding(say`${'sed'} runs a command or writes a file.`)
    : undefined;
}

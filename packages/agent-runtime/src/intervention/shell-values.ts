import { names, SHELLS } from './programs.ts';
import type { SimpleCommand } from './shell-script.ts';

/** Values of variables, substitutions and inputs that are known without running them. */

/** The placeholder that `xargs` replaces by its input. */
export function placeholderIn(program: string, args: readonly string[]): string | undefined {
  if (program === 'parallel') return '{}';
  const at = program === 'xargs' ? args.findIndex((arg) => /^-[Ii]|^--replace/.test(arg)) : -1;
  if (at === -1) return undefined;
  const attached = args[at]?.replace(/^-[Ii]|^--replace=?/, '') ?? '';
  return attached !== '' ? attached : args[at]?.startsWith('-I') === true ? args[at + 1] : '{}';
}

/** Variables that an attacker cannot set and that contain no secret. */
export const HARMLESS_VARIABLES =
  /^(?:[?$#!]|RANDOM|SECONDS|LINENO|UID|EUID|USER|LOGNAME|PATH|SHELL|LANG|LC_\w+|TERM|HOSTNAME|HOSTTYPE|OSTYPE|MACHTYPE|COLUMNS|LINES|CI|NODE_ENV|PORT|EPOCHSECONDS|BASH_REMATCH|BASH_VERSION|PIPESTATUS|FUNCNAME|OPTIND)$/;

export const SECRET_VARIABLES =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SIGNING_?KEY|ENCRYPTION_?KEY|(?:^|_)(?:KEY|PAT|PASS|PWD|AUTH|SESSION|DSN|COOKIE|JWT)$|^TOOLYARD_/i;

/** Programs that print only file names, dates and numbers. */
const LISTS_ONLY = names(`
  ls find fd basename dirname realpath readlink mktemp date nproc uname whoami hostname id wc head tail sort
  uniq tr cut grep rg seq expr stat du df git which node npm arch sw_vers getconf tput stty pgrep pidof echo
  printf sed awk jq xargs true test [ go cargo rustc python python3 command cat`);

export function listsOnly({ program, args }: SimpleCommand): boolean {
  if (program === 'git')
    return /^(?:ls-files|diff|rev-parse|status|branch|describe|merge-base|rev-list|tag|symbolic-ref)$/.test(
      args.find((arg) => !arg.startsWith('-')) ?? '',
    );
  if (/^(?:node|npm|go|cargo|rustc|python3?|)$/.test(program))
    return args.length === 1 && /^(?:--version|-v|-V|version)$/.test(args[0] ?? '');
  return LISTS_ONLY.has(program);
}

/** True if a command runs its input as a program. */
export function readsScript({ program, args }: SimpleCommand): boolean {
  if (program === 'make')
    return args.some((arg, at) => /^(?:-f|--file=?)$/.test(arg) && /^(?:-|\/dev\/stdin)$/.test(args[at + 1] ?? ''));
  if (program === 'source' || program === '.') return /^(?:-|\/dev\/stdin|\/dev\/fd\/0)$/.test(args[0] ?? '');
  if (!SHELLS.has(program)) return false;
  if (args.some((arg) => /^-[A-Za-z]*[cn][A-Za-z]*$/.test(arg))) return false;
  const file = args.find((arg, at) => !/^[-+]/.test(arg) && !/^[-+][A-Za-z]*[oO]$/.test(args[at - 1] ?? ''));
  return file === undefined || args.includes('-s') || /^\/(?:dev\/stdin|dev\/fd\/0|proc\/self\/fd\/0)$/.test(file);
}

/** A path relative to the folder of a preceding `cd`. */
export function inFolder(path: string, folder: string | undefined): string {
  return folder === undefined || folder === '.' || /^[-/~]|^[A-Za-z]:/.test(path) ? path : `${folder}/${path}`;
}

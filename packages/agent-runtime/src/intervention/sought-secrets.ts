import { argumentsOf } from './handed-on.ts';
import { isSecretPath } from './sensitive-paths.ts';
import { FILTERS, LISTERS } from './shell-names.ts';
import type { Command } from './shell-script.ts';
import { nameOf } from './shell-script.ts';
import { isAssignment } from './word-text.ts';

/** Secrets that are reached without their path standing there as one. */

/** A secret path that is sought out among names of files: `cat $(ls -a | grep env)`. */
export function listedPath(commands: readonly Command[]): string | undefined {
  if (!commands.some((command) => LISTERS.has(nameOf(command)))) return undefined;
  return commands
    .filter((command) => command.piped && FILTERS.has(nameOf(command)))
    .flatMap((command) => argumentsOf(command).map((text) => text.replace(/[\\^$]/g, '')))
    .flatMap((text) => (text.startsWith('-') || text === '' ? [] : [text, `.${text.replace(/^\.+/, '')}`]))
    .find((text) => isSecretPath(text, true));
}

/**
 * True for a command that prints all of the environment, where keys and passwords are handed to programs, or a secret
 * of it. `next`: what it may be piped to.
 */
export function printsEnvironment({ words }: Command, next: Command | undefined): boolean {
  const from = words.findIndex(({ name }) => !ASIDE.has(name));
  const printer = words[from];
  if (printer?.program.printsEnvironment !== true) return false;
  const args = words.slice(from + 1).map(({ text }) => text);
  if (args.some((arg) => /^(?:-i|-|--ignore-environment|--help|--version)$/.test(arg))) return false;
  const named = args.filter(
    (arg, at) => !arg.startsWith('-') && !isAssignment(arg) && !/^-[uCS]$/.test(args[at - 1] ?? ''),
  );
  if (named.length > 0) return printer.name === 'printenv' && named.some(isSecretName);
  if (args.some((arg) => /^(?:-S|--split-string)/.test(arg))) return false;
  if (next?.piped !== true || !FILTERS.has(nameOf(next))) return true;
  const patterns = next.words.slice(1).filter(({ text }) => !text.startsWith('-'));
  return patterns.some(({ text }) => !/\w{2}/.test(text) || isSecretName(text));
}

const ASIDE = new Set(['sudo', 'doas', 'command', 'exec', 'busybox', 'nohup']);

function isSecretName(name: string): boolean {
  return /key|token|secret|pass|cred|auth/i.test(name);
}

/** Texts of a program that stand one after the other, as it would join them: `'/etc/' + 'shadow'`. */
export function putTogether(code: string): string[] {
  if (code.length > LONGEST_CODE) return [];
  const plus = code.replace(/(["'`])\s*\+\s*["'`]/g, '');
  const joined = /join\s*\(/.test(code) ? code.replace(/(["'`])\s*,\s*["'`]/g, '/') : code;
  return [plus, joined]
    .filter((each) => each !== code)
    .flatMap((each) => [...each.matchAll(/["'`]([^"'`\n]{1,200})["'`]/g)].map(([, text = '']) => text));
}

const LONGEST_CODE = 100_000;

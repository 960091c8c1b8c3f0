import { isSecretPath } from './sensitive-paths.ts';
import { baseName, FILTERS, LISTERS, PRINTS_ENVIRONMENT } from './shell-names.ts';
import type { Command } from './shell-words.ts';
import { isAssignment } from './word-text.ts';

/** Secrets that are reached without their path standing there as one. */

/** A secret path that is sought out among names of files: `cat $(ls -a | grep env)`. */
export function listedPath(commands: readonly Command[]): string | undefined {
  if (!commands.some(({ words }) => LISTERS.has(programOf(words)))) return undefined;
  return commands
    .filter(({ words, piped }) => piped && FILTERS.has(programOf(words)))
    .flatMap(({ words }) => words.slice(1).map(({ text }) => text.replace(/[\\^$]/g, '')))
    .flatMap((text) => (text.startsWith('-') || text === '' ? [] : [text, `.${text.replace(/^\.+/, '')}`]))
    .find((text) => isSecretPath(text, true));
}

/**
 * True for a command that prints all of the environment, where keys and passwords are handed to programs, or a secret
 * of it. `next`: what it may be piped to.
 */
export function printsEnvironment({ words }: Command, next: Command | undefined): boolean {
  const from = words.findIndex(({ text }) => !ASIDE.has(baseName(text)));
  const name = baseName(words[from]?.text ?? '');
  if (!PRINTS_ENVIRONMENT.has(name)) return false;
  const args = words.slice(from + 1).map(({ text }) => text);
  if (args.some((arg) => /^(?:-i|-|--ignore-environment|--help|--version)$/.test(arg))) return false;
  const named = args.filter(
    (arg, at) => !arg.startsWith('-') && !isAssignment(arg) && !/^-[uCS]$/.test(args[at - 1] ?? ''),
  );
  if (named.length > 0) return name === 'printenv' && named.some(isSecretName);
  if (args.some((arg) => /^(?:-S|--split-string)/.test(arg))) return false;
  if (next?.piped !== true || !FILTERS.has(programOf(next.words))) return true;
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

function programOf(words: Command['words']): string {
  return baseName(words[0]?.text ?? '');
}

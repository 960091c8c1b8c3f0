import { shown } from './inline-code.ts';
import { REMOVERS } from './programs.ts';
import { isEverything, isPersonal } from './sensitive-paths.ts';
import type { Finding, SimpleCommand } from './shell-script.ts';
import { danger, unclear } from './shell-script.ts';
import { hasUnknown, isDynamic, UNKNOWN } from './shell-text.ts';
import { inFolder } from './shell-values.ts';

/** Commands that remove, overwrite or empty what cannot be made again. */

export function lookAtRemoval(name: string, command: SimpleCommand): Finding | undefined {
  const { args, folder, redirects } = command;
  const dashes = args.indexOf('--');
  const operands = args.filter((arg, at) => !arg.startsWith('-') || (dashes !== -1 && at > dashes));
  const isRecursive = args.some((arg) => /^-[a-zA-Z]*[rR]|^--recu/.test(arg));
  const has = (pattern: RegExp): boolean => args.some((arg) => pattern.test(arg));
  const paths = operands.map((path) => inFolder(path, folder));
  if (
    /^(?:cp|mv|install|sort)$/.test(name) &&
    args.includes('/dev/null') &&
    (operands.length > 1 || redirects.length > 0)
  )
    return danger('It overwrites a file with nothing.');
  if (/^(?:chmod|chown|chgrp|setfacl|install)$/.test(name) && has(/^[ugoa]*\+[rwx]*s|^0?[2467][0-7]{3}$/))
    return danger('It gives a program the rights of its owner.');
  switch (name) {
    case 'find':
      return removalByFind(args, folder);
    case 'mv':
      if (paths.slice(0, -1).some(isEverything)) return danger('It moves a whole folder away.');
      return operands.slice(0, -1).some((path) => /^(?:\.\/)?\*$/.test(path))
        ? danger('It moves all files away.')
        : undefined;
    case 'chmod':
    case 'chown':
    case 'chgrp':
    case 'setfacl':
      return isRecursive && paths.slice(1).some(isEverything)
        ? danger('It changes the rights of everything.')
        : undefined;
    case 'dd': {
      const to = args.find((arg) => arg.startsWith('of='))?.slice(3);
      return to !== undefined && (isPersonal(inFolder(to, folder)) || hasUnknown(to))
        ? danger(`It overwrites ${shown(to)}.`)
        : undefined;
    }
    case 'gio':
      return args[0] === 'trash' || args[0] === 'remove' ? danger('It removes files.') : undefined;
    default:
  }
  if (
    /^(?:patch|ruby|perl|gawk|awk|sed)$/.test(name) &&
    paths.some(isPersonal) &&
    (name === 'patch' || has(/^-[a-z]*i|inplace/))
  )
    return danger('It changes a file of the home folder in place.');
  if (!REMOVERS.has(name)) return undefined;
  for (const operand of operands) {
    const finding = removalOf(inFolder(operand.replace(/^(?:\.\/)+(?=.)/, ''), folder), name, isRecursive);
    if (finding) return finding;
  }
  return undefined;
}

function removalOf(path: string, name: string, isRecursive: boolean): Finding | undefined {
  if (/^(?:\/|~|\.\.?(?:\/\.\.)*)\/?$/.test(path) || isEverything(path))
    return danger(`It removes ${shown(path)} and all that is in it.`);
  if (/(?:^|\/)\.git(?:\/|$)/.test(path)) return danger('It removes the history of the project.');
  if (isPersonal(path) && (isRecursive || isDynamic(path) || name !== 'rm'))
    return danger(`It removes ${shown(path)}.`);
  const last = /[^/]*(?=\/*$)/.exec(path)?.[0] ?? '';
  const isAnyName = /[*?[]/.test(last) && last.replace(/\[[^\]]*\]|[*?.]/g, '') === '';
  if ((isAnyName && (isRecursive || !path.includes('/'))) || path.includes('**'))
    return danger(`It removes whatever matches ${shown(path)}.`);
  if (/^(?:truncate|shred)$/.test(name) && isDynamic(path))
    return danger(`It empties whatever matches ${shown(path)}.`);
  if (path.startsWith(UNKNOWN) && /[*]|\/$/.test(path)) return danger('It may remove everything.');
  return hasUnknown(path) ? unclear('It cannot be told what it removes.') : undefined;
}

function removalByFind(args: readonly string[], folder: string | undefined): Finding | undefined {
  if (!args.includes('-delete') && !removesInside(args)) return undefined;
  const first = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[LHPO]\d?$/.test(arg));
  const folders = args.slice(0, first === -1 ? undefined : first).filter((arg) => !arg.startsWith('-'));
  const isNarrow =
    args.some((arg) => /^-i?(?:name|path|regex)$/.test(arg)) &&
    !args.some((arg, at) => /^-i?name$/.test(args[at - 1] ?? '') && SOURCES.test(arg));
  const paths = folders.map((path) => inFolder(path, folder));
  const isBroad = paths.some((path) => isEverything(path) || (isPersonal(path) && !isNarrow));
  return isBroad || !(isNarrow || args.includes('-empty')) ? danger('It removes everything it finds.') : undefined;
}

/** Files that somebody wrote, and no build makes again. */
const SOURCES =
  /^\*$|\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|c|cc|cpp|h|rb|php|swift|md|txt|tex|docx?|xlsx?|csv|sql|db|sqlite3?|jpe?g|png|pdf|html?|css|ya?ml|json)$/i;

export function removesInside(args: readonly string[]): boolean {
  return args.some((arg) => REMOVERS.has(arg.slice(arg.lastIndexOf('/') + 1)));
}

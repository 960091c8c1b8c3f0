import { shown } from './inline-code.ts';
import { REMOVERS } from './programs.ts';
import { isEverything, isPersonal } from './sensitive-paths.ts';
import type { Finding, SimpleCommand } from './shell-script.ts';
import { danger, unclear } from './shell-script.ts';
import { hasUnknown, isDynamic, UNKNOWN } from './shell-text.ts';
import { inFolder } from './shell-values.ts';

/** Commands that remove, overwrite or empty what cannot be made again. */

export function lookAtRemoval(name: string, { args, folder, redirects }: SimpleCommand): Finding | undefined {
  const operands = args.filter(
    (arg, at) => !arg.startsWith('-') || (args.indexOf('--') !== -1 && at > args.indexOf('--')),
  );
  const isRecursive = args.some((arg) => /^-[a-zA-Z]*[rR]|^--recu/.test(arg));
  const empties =
    /^(?:cp|cat|mv|install|sort)$/.test(name) &&
    args.includes('/dev/null') &&
    (operands.length > 1 || redirects.length > 0);
  if (empties && name !== 'cat') return danger('It overwrites a file with nothing.');
  if (name === 'find') return removalByFind(args, folder);
  if (name === 'mv' && operands.slice(0, -1).some((path) => isEverything(inFolder(path, folder))))
    return danger('It moves a whole folder away.');
  if (name === 'mv' && operands.slice(0, -1).some((path) => /^(?:\.\/)?\*$/.test(path)))
    return danger('It moves all files away.');
  if (/^(?:chmod|chown|chgrp|setfacl)$/.test(name)) {
    if (args.some((arg) => /^[ugoa]*\+[rwx]*s|^0?[2467][0-7]{3}$/.test(arg)))
      return danger('It gives a program the rights of its owner.');
    if (isRecursive && operands.slice(1).some((path) => isEverything(inFolder(path, folder))))
      return danger('It changes the rights of everything.');
    return undefined;
  }
  if (name === 'install' && args.some((arg) => /^0?[2467][0-7]{3}$/.test(arg)))
    return danger('It gives a program the rights of its owner.');
  if (name === 'dd') {
    const to = args.find((arg) => arg.startsWith('of='))?.slice(3);
    if (to !== undefined && (isPersonal(inFolder(to, folder)) || hasUnknown(to)))
      return danger(`It overwrites ${shown(to)}.`);
  }
  if (
    args.some((arg) =>
      /^--(?:remove-files|remove-source-files|del(?:ete)?(?:-\w+)?|zap-all|purge-all|force-delete)$/.test(arg),
    ) &&
    /^(?:rsync|tar|bsdtar|rclone|aws|gsutil|zip|robocopy)$/.test(name) &&
    !args.some((arg) => /^-[a-zA-Z]*n|^--dry-?run$/.test(arg))
  )
    return danger(`It deletes files (${name}).`);
  if (
    /^(?:patch|ruby|perl|gawk|awk|sed)$/.test(name) &&
    operands.some((path) => isPersonal(inFolder(path, folder))) &&
    (name === 'patch' || args.some((arg) => /^-[a-z]*i|inplace/.test(arg)))
  )
    return danger('It changes a file of the home folder in place.');
  if (!REMOVERS.has(name)) return undefined;
  if (name === 'gio') return args[0] === 'trash' || args[0] === 'remove' ? danger('It removes files.') : undefined;
  for (const operand of operands) {
    const path = inFolder(operand.replace(/^(?:\.\/)+(?=.)/, ''), folder);
    if (/^(?:\/|~|\.\.?(?:\/\.\.)*)\/?$/.test(path) || isEverything(path))
      return danger(`It removes ${shown(path)} and all that is in it.`);
    if (/(?:^|\/)\.git(?:\/|$)/.test(path)) return danger('It removes the history of the project.');
    if (isPersonal(path) && (isRecursive || isDynamic(path) || name !== 'rm'))
      return danger(`It removes ${shown(path)}.`);
    const last = path.replace(/\/+$/, '').slice(path.replace(/\/+$/, '').lastIndexOf('/') + 1);
    if (/[*?[]/.test(last) && last.replace(/\[[^\]]*\]|[*?.]/g, '') === '' && (isRecursive || !path.includes('/')))
      return danger(`It removes whatever matches ${shown(path)}.`);
    if (/^(?:truncate|shred)$/.test(name) && isDynamic(path))
      return danger(`It empties whatever matches ${shown(path)}.`);
    if (path.includes('**')) return danger(`It removes whatever matches ${shown(path)}.`);
    if (path.startsWith(UNKNOWN) && /[*]|\/$/.test(path)) return danger('It may remove everything.');
    if (hasUnknown(path)) return unclear('It cannot be told what it removes.');
  }
  return undefined;
}

function removalByFind(args: readonly string[], folder: string | undefined): Finding | undefined {
  const removes = args.includes('-delete') || removesInside(args);
  if (!removes) return undefined;
  const first = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[LHPO]\d?$/.test(arg));
  const folders = args.slice(0, first === -1 ? undefined : first).filter((arg) => !arg.startsWith('-'));
  const isNarrow =
    args.some((arg) => /^-i?(?:name|path|regex)$/.test(arg)) &&
    !args.some((arg, at) => /^-i?name$/.test(args[at - 1] ?? '') && SOURCES.test(arg));
  if (folders.some((path) => isEverything(inFolder(path, folder)) || (isPersonal(inFolder(path, folder)) && !isNarrow)))
    return danger('It removes everything it finds.');
  return isNarrow ? undefined : args.includes('-empty') ? undefined : danger('It removes everything it finds.');
}

/** Files that somebody wrote, and no build makes again. */
const SOURCES =
  /^\*$|\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|c|cc|cpp|h|rb|php|swift|md|txt|tex|docx?|xlsx?|csv|sql|db|sqlite3?|jpe?g|png|pdf|html?|css|ya?ml|json)$/i;

export function removesInside(args: readonly string[]): boolean {
  return args.some((arg) => REMOVERS.has(arg.slice(arg.lastIndexOf('/') + 1)));
}

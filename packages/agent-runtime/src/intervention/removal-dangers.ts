import { say } from '@toolyard/protocol';
import { displayText } from './inline-code.ts';
import { REMOVERS } from './programs.ts';
import { isWholeSystem, isPersonal } from './sensitive-paths.ts';
import type { ScriptFinding, SimpleCommand } from './shell-script.ts';
import { dangerFinding, unclearFinding } from './shell-script.ts';
import { hasUnknown, isDynamic } from './shell-text.ts';
import { inFolder } from './shell-values.ts';

/** Commands that remove, overwrite or empty data that cannot be restored. */

export function inspectRemoval(name: string, command: SimpleCommand): ScriptFinding | undefined {
  const { args, folder, redirects } = command;
  const dashes = args.indexOf('--');
  const operands = args.filter((arg, at) => !arg.startsWith('-') || (dashes !== -1 && at > dashes));
  const isRecursive = args.some((arg) => /^-[a-zA-Z]*[rR]|^--recu/.test(arg));
  const has = (pattern: RegExp): boolean => args.some((arg) => pattern.test(arg));
  const paths = operands.map((path) => inFolder(path, folder));
  if (
    /^(?:cp|mv|install|sort|tee|dd)$/.test(name) &&
    [...args, ...redirects.map(({ target }) => target)].some((text) => /^(?:if=)?\/dev\/null$/.test(text)) &&
    operands.length + redirects.length > 1
  )
    return dangerFinding(say`It overwrites a file with empty content.`);
  if (/^(?:chmod|chown|chgrp|setfacl|install)$/.test(name) && has(/^[ugoa]*\+[rwx]*s|^0?[2467][0-7]{3}$/))
    return dangerFinding(say`It makes a program run with the permissions of its owner (setuid).`);
  switch (name) {
    case 'find':
      return removalByFind(args, folder);
    case 'mv':
      return paths.slice(0, -1).some((path) => isWholeSystem(path) || /^(?:\.\/)?\*$/.test(path))
        ? dangerFinding(say`It moves all files away.`)
        : undefined;
    case 'dd': {
      const to = args.find((arg) => arg.startsWith('of='))?.slice(3);
      return to !== undefined && (isPersonal(inFolder(to, folder)) || hasUnknown(to))
        ? dangerFinding(say`It overwrites ${displayText(to)}.`)
        : undefined;
    }
    case 'gio':
      return args[0] === 'trash' || args[0] === 'remove' ? dangerFinding(say`It removes files.`) : undefined;
    default:
  }
  if (
    /^(?:patch|ruby|perl|gawk|awk|sed)$/.test(name) &&
    paths.some(isPersonal) &&
    (name === 'patch' || has(/^-[a-z]*i|inplace/))
  )
    return dangerFinding(say`It changes a file of the home folder in place.`);
  if (!REMOVERS.has(name)) return undefined;
  for (const operand of operands) {
    const finding = findRemoval(inFolder(operand.replace(/^(?:\.\/)+(?=.)/, ''), folder), name, isRecursive);
    if (finding) return finding;
  }
  return undefined;
}

function findRemoval(path: string, name: string, isRecursive: boolean): ScriptFinding | undefined {
  if (/^(?:\/|~|\.\.?(?:\/\.\.)*)\/?$/.test(path) || isWholeSystem(path))
    return dangerFinding(say`It removes ${displayText(path)} and everything in it.`);
  if (/(?:^|\/)\.git(?:\/|$)/.test(path)) return dangerFinding(say`It removes the history of the project.`);
  if (isPersonal(path) && (isRecursive || isDynamic(path) || name !== 'rm'))
    return dangerFinding(say`It removes ${displayText(path)}.`);
  const last = /[^/]*(?=\/*$)/.exec(path)?.[0] ?? '';
  const isAnyName = /[*?[]/.test(last) && last.replace(/\[[^\]]*\]|[*?.]/g, '') === '';
  if ((isAnyName && (isRecursive || !path.includes('/'))) || path.includes('**'))
    return dangerFinding(say`It removes all files that match ${displayText(path)}.`);
  if (/^(?:\*\.\w+|(?:\.\/)?(?:src|docs|tests?|app|packages)\/?)$/.test(path) && (isRecursive || isWork(path)))
    return dangerFinding(say`It removes ${displayText(path)}.`);
  if (/^(?:truncate|shred)$/.test(name) && (isDynamic(path) || isWork(path)))
    return dangerFinding(say`It empties all files that match ${displayText(path)}.`);
  return hasUnknown(path) ? unclearFinding(say`The files that it removes are not known in advance.`) : undefined;
}

function removalByFind(args: readonly string[], folder: string | undefined): ScriptFinding | undefined {
  if (!args.includes('-delete') && !removesContents(args)) return undefined;
  const first = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[LHPO]\d?$/.test(arg));
  const folders = args.slice(0, first === -1 ? undefined : first).filter((arg) => !arg.startsWith('-'));
  const isNarrow =
    args.some((arg) => /^-i?(?:name|path|regex)$/.test(arg)) &&
    !args.some((arg, at) => /^-i?name$/.test(args[at - 1] ?? '') && SOURCES.test(arg));
  const paths = folders.map((path) => inFolder(path, folder));
  const isBroad = paths.some((path) => isWholeSystem(path) || (isPersonal(path) && !isNarrow));
  return isBroad || !(isNarrow || args.includes('-empty'))
    ? dangerFinding(say`It removes every file it finds.`)
    : undefined;
}

export function isWork(path: string): boolean {
  return SOURCES.test(path);
}

/** Files that a user wrote and no build creates again. */
const SOURCES =
  /^\*$|\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|c|cc|cpp|h|rb|php|swift|md|txt|tex|docx?|xlsx?|csv|sql|db|sqlite3?|jpe?g|png|pdf|html?|css|ya?ml|json)$/i;

export function removesContents(args: readonly string[]): boolean {
  return args.some((arg) => REMOVERS.has(arg.slice(arg.lastIndexOf('/') + 1)));
}

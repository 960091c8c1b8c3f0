import { argumentDangers } from './argument-dangers.ts';
import type { ScriptFinding } from './shell-script.ts';
import { dangerFinding } from './shell-script.ts';
import { hasUnknown } from './shell-text.ts';
import { GIT_RUNS } from './wrappers.ts';

const UNREACHABLE = 'It deletes unreachable commits for good.';

const lookAtAction = argumentDangers([
  [
    'push',
    / (?:--force\S*|-[a-z]*f[a-z]*|--mirror|--all|--delete|-d|--prune|[:+]\S+) /,
    'It overwrites or deletes commits of others.',
  ],
  ['push', / (?:\w+:\/\/\S*|[\w.-]+@\S*:\S*) /, 'It sends data to another place.'],
  ['reset', / --(?:hard|merge|keep) /, 'It discards changes.'],
  ['clean', /^(?!.* (?:-[a-z]*n|--dry-run)).* (?:-[a-z]*[fxX]|--force)/, 'It deletes untracked files.'],
  ['checkout switch restore', / (?:\.|:\/|\*|-f|--force|--discard-changes|:\(.*) /, 'It discards changes.'],
  ['branch', / (?:-[a-zA-Z]*[Df]|--force) /, 'It deletes or moves a branch that is not merged.'],
  ['gc', / --prune=(?:now|all)/, UNREACHABLE],
  ['prune', / /, UNREACHABLE],
  ['reflog', / (?:expire|delete) /, UNREACHABLE],
  ['stash', / (?:clear|drop) /, 'It deletes stashed changes.'],
  ['rm', /^(?!.* --cached ).* (?:-[a-z]*r[a-z]*|\.|\*|:\S*) /, 'It deletes files.'],
  ['update-ref', / -d /, 'It deletes a branch.'],
  ['worktree submodule', / (?:-f|--force|deinit) /, 'It deletes a folder with changes.'],
  [
    'filter-branch filter-repo credential credential-store credential-cache daemon instaweb send-email',
    / /,
    'It rewrites history, starts a server, or shows credentials.',
  ],
]);

const RUNS_COMMAND = dangerFinding('git runs another command.');

/** Subcommands of git that lose work, run commands or show credentials. */
export function dangerOfGit(args: readonly string[]): ScriptFinding | undefined {
  const at = args.findIndex(
    (arg, index) =>
      !arg.startsWith('-') && !/^(?:-c|-C|--git-dir|--work-tree|--namespace|--exec-path)$/.test(args[index - 1] ?? ''),
  );
  const action = args[at] ?? '';
  const rest = at === -1 ? [] : args.slice(at + 1);
  const has = (pattern: RegExp): boolean => rest.some((arg) => pattern.test(arg));
  const setsProgram = args.some(
    (arg, index) =>
      args[index - 1] === '-c' && GIT_RUNS.test(arg.split('=')[0] ?? '') && !/=(?:cat|less|true|false|)$/.test(arg),
  );
  if (setsProgram || args.some((arg) => NAMES_PROGRAM.test(arg)) || hasUnknown(action)) return RUNS_COMMAND;
  if (action === 'restore' && has(/^(?:--staged|-S)$/) && !has(/^--worktree$|^-W$/)) return undefined;
  if (action === 'config' && has(GIT_RUNS) && rest.filter((arg) => !arg.startsWith('-')).length > 1)
    return dangerFinding('It configures a command that git runs later.');
  return lookAtAction(action, rest);
}

const NAMES_PROGRAM =
  /^(?:(?:--[\w-]+=)?ext::|--(?:upload-pack|receive-pack|exec|open-files-in-pager|extcmd|gpg-sign-program|config-env)(?:=|$)|-O.)/;

const PLAIN =
  /^(?:status|diff|log|show|add|commit|branch|checkout|switch|restore|fetch|pull|push|merge|rebase|stash|tag|blame|grep|ls-\w+|rev-\w+|describe|shortlog|reflog|remote|cherry(?:-pick)?|revert|reset|clone|init|mv|rm|cat-file|merge-base|range-diff|name-rev|count-objects|fsck|config|version|diff-\w+|for-each-ref|show-\w+|symbolic-ref|notes|clean|gc|--version)$/;

/** For `git *`: a known subcommand in this repository, since another may be an alias that runs anything. */
export function isPlainGit(args: readonly string[]): boolean {
  const [action = '', ...rest] = args;
  if (action === '') return true;
  const changesConfiguration = /^(?:config|remote)$/.test(action) && rest.length > 2;
  const isElsewhere = (arg: string): boolean =>
    /^(?:[/~]|[a-z+]+::)|(?:^|\/)\.\.(?:\/|$)|^-[ciuxFOXS]|^--no-index$/.test(arg);
  return PLAIN.test(action) && !changesConfiguration && !rest.some(isElsewhere);
}

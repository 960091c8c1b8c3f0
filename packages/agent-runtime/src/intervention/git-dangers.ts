import { say } from '@toolyard/protocol';
import { argumentDangers } from './argument-dangers.ts';
import type { ScriptFinding } from './shell-script.ts';
import { dangerFinding } from './shell-script.ts';
import { hasUnknown } from './shell-text.ts';

const OTHERS = say`It rewrites history, starts a server, or shows credentials.`;
const UNREACHABLE = say`It deletes unreachable commits for good.`;

/** Configuration that contains commands, or decides where commits come from. */
const KEYS = String.raw`(?:alias\..*|core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy)|pager\..*|sequence\.editor|diff\..*|difftool\..*|mergetool\..*|merge\..*|filter\..*|credential\..*|gpg\..*program|init\.templatedir|include.*|uploadpack\..*|remote\..*\.(?:uploadpack|receivepack|vcs)|protocol\..*|url\..*|web\.browser|browser\..*|interactive\.difffilter|man\..*|http\..*(?:proxy|ssl\w*)|core\.attributesfile|core\.worktree)`;
const NAMES_PROGRAM = new RegExp(
  ` (?:--[\\w-]+=)?ext::| --(?:upload-pack|receive-pack|exec|open-files-in-pager|extcmd|gpg-sign-program|config-env)[= ]| -O\\S| (?:-c|--config)[= ]${KEYS}=(?!(?:cat|less|true|false|) )`,
  'i',
);

const lookAtAction = argumentDangers([
  [
    'push',
    / (?:--force\S*|-[a-z]*f[a-z]*|--mirror|--all|--delete|-d|--prune|[:+]\S+) /,
    say`It overwrites or deletes commits of others.`,
  ],
  ['push', / (?:\w+:\/\/\S*|[\w.-]+@\S*:\S*) /, say`It sends data to another place.`],
  ['reset', / --(?:hard|merge|keep) /, say`It discards changes.`],
  ['clean', /^(?!.* (?:-[a-z]*n|--dry-run)).* (?:-[a-z]*[fxX]|--force)/, say`It deletes untracked files.`],
  ['checkout switch restore', / (?:\.|:\/|\*|-f|--force|--discard-changes|:\(.*) /, say`It discards changes.`],
  ['branch', / (?:-[a-zA-Z]*[Df]|--force) /, say`It deletes or moves a branch that is not merged.`],
  ['gc', / --prune=(?:now|all)/, UNREACHABLE],
  ['prune', / /, UNREACHABLE],
  ['reflog', / (?:expire|delete) /, UNREACHABLE],
  ['stash', / (?:clear|drop) /, say`It deletes stashed changes.`],
  ['config', new RegExp(` ${KEYS} (?:-\\S+ )*[^- ]`, 'i'), say`It configures a command that git runs later.`],
  ['rm', /^(?!.* --cached ).* (?:-[a-z]*r[a-z]*|\.|\*|:\S*) /, say`It deletes files.`],
  ['update-ref', / -d /, say`It deletes a branch.`],
  ['worktree submodule', / (?:-f|--force|deinit) /, say`It deletes a folder with changes.`],
  ['filter-branch filter-repo daemon instaweb send-email', / /, OTHERS],
  ['credential credential-store credential-cache', / /, OTHERS],
]);

/** Subcommands of git that lose work, run commands or show credentials. */
export function dangerOfGit(args: readonly string[]): ScriptFinding | undefined {
  const at = args.findIndex(
    (arg, index) =>
      !arg.startsWith('-') && !/^(?:-c|-C|--git-dir|--work-tree|--namespace|--exec-path)$/.test(args[index - 1] ?? ''),
  );
  const [action = '', ...rest] = at === -1 ? [] : args.slice(at);
  if (hasUnknown(action) || NAMES_PROGRAM.test(` ${args.join(' ')} `))
    return dangerFinding(say`git runs another command.`);
  const isUnstaged = action === 'restore' && rest.some((arg) => /^(?:--staged|-S)$/.test(arg));
  return isUnstaged && !/ (?:--worktree|-W) /.test(` ${rest.join(' ')} `) ? undefined : lookAtAction(action, rest);
}

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

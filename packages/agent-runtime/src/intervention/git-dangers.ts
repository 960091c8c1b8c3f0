import type { Finding } from './shell-script.ts';
import { danger } from './shell-script.ts';
import { hasUnknown } from './shell-text.ts';
import { GIT_RUNS } from './wrappers.ts';

/** What git is told to do that loses work, runs commands or shows credentials. */
export function dangerOfGit(args: readonly string[]): Finding | undefined {
  const at = args.findIndex(
    (arg, index) =>
      !arg.startsWith('-') && !/^(?:-c|-C|--git-dir|--work-tree|--namespace|--exec-path)$/.test(args[index - 1] ?? ''),
  );
  const action = args[at] ?? '';
  const rest = at === -1 ? [] : args.slice(at + 1);
  const has = (pattern: RegExp): boolean => rest.some((arg) => pattern.test(arg));
  if (
    args.some(
      (arg, index) =>
        args[index - 1] === '-c' && GIT_RUNS.test(arg.split('=')[0] ?? '') && !/=(?:cat|less|true|false|)$/.test(arg),
    )
  )
    return danger('git is told to run a command.');
  if (
    args.some((arg) =>
      /^(?:ext::|--(?:upload-pack|receive-pack|exec|open-files-in-pager|extcmd|gpg-sign-program)(?:=|$)|-O.)/.test(arg),
    ) ||
    hasUnknown(action)
  )
    return danger('git is told to run a command.');
  switch (action) {
    case 'push':
      return has(/^(?:--force\S*|-[a-z]*f[a-z]*|--mirror|--delete|-d|--prune|[:+].+)$/)
        ? danger('It overwrites or deletes what others have.')
        : undefined;
    case 'reset':
      return has(/^--(?:hard|merge|keep)$/) ? danger('It discards changes.') : undefined;
    case 'clean':
      return has(/^(?:-[a-z]*[fxX]|--force)/) && !has(/^(?:-[a-z]*n|--dry-run)/)
        ? danger('It deletes files that are not in the history.')
        : undefined;
    case 'checkout':
    case 'restore':
    case 'switch':
      return has(/^(?:\.|:\/|\*|-f|--force|--discard-changes|:\(.*)$/) &&
        !(action === 'restore' && has(/^(?:--staged|-S)$/) && !has(/^--worktree$|^-W$/))
        ? danger('It discards changes.')
        : undefined;
    case 'stash':
      return /^(?:clear|drop)$/.test(rest[0] ?? '') ? danger('It deletes stashed changes.') : undefined;
    case 'branch':
      return has(/^(?:-D|-[a-zA-Z]*D|--force)$/) ? danger('It deletes a branch that is not merged.') : undefined;
    case 'reflog':
      return /^(?:expire|delete)$/.test(rest[0] ?? '') ? danger('It deletes the way back to lost commits.') : undefined;
    case 'gc':
    case 'prune':
      return has(/^--prune=(?:now|all)/) || action === 'prune'
        ? danger('It deletes the way back to lost commits.')
        : undefined;
    case 'rm':
      return has(/^(?:-[a-z]*r[a-z]*|\.|\*|:.*)$/) && !has(/^--cached$/) ? danger('It deletes files.') : undefined;
    case 'update-ref':
      return has(/^-d$/) ? danger('It deletes a branch.') : undefined;
    case 'worktree':
    case 'submodule':
      return has(/^(?:-f|--force|deinit)$/) ? danger('It deletes a folder with changes.') : undefined;
    case 'filter-branch':
    case 'filter-repo':
    case 'credential':
    case 'credential-store':
    case 'credential-cache':
    case 'daemon':
    case 'instaweb':
    case 'send-email':
      return danger(`git ${action} rewrites the history, serves or shows credentials.`);
    case 'config':
      return has(GIT_RUNS) && rest.filter((arg) => !arg.startsWith('-')).length > 1
        ? danger('It names a command that git runs later.')
        : undefined;
    case 'remote':
      return /^(?:set-url|add)$/.test(rest[0] ?? '') && has(/^ext::/)
        ? danger('git is told to run a command.')
        : undefined;
    default:
      return undefined;
  }
}

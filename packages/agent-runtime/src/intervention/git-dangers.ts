import type { Finding } from './shell-script.ts';
import { danger } from './shell-script.ts';
import { hasUnknown } from './shell-text.ts';
import { GIT_RUNS } from './wrappers.ts';

type Row = {
  /** An argument that makes it dangerous; absent: the action always is. */
  has?: RegExp;
  /** An argument with which it is not. */
  but?: RegExp;
  why: string;
};

const DISCARDS: Row = {
  has: /^(?:\.|:\/|\*|-f|--force|--discard-changes|:\(.*)$/,
  why: 'It discards changes.',
};
const UNREACHABLE = 'It deletes the way back to lost commits.';
const OF_A_FOLDER: Row = { has: /^(?:-f|--force|deinit)$/, why: 'It deletes a folder with changes.' };
const SHOWS: Row = { why: 'It rewrites the history, serves or shows credentials.' };

const ACTIONS: ReadonlyMap<string, Row> = new Map(
  Object.entries({
    push: {
      has: /^(?:--force\S*|-[a-z]*f[a-z]*|--mirror|--delete|-d|--prune|[:+].+)$/,
      why: 'It overwrites or deletes what others have.',
    },
    reset: { has: /^--(?:hard|merge|keep)$/, why: 'It discards changes.' },
    clean: {
      has: /^(?:-[a-z]*[fxX]|--force)/,
      but: /^(?:-[a-z]*n|--dry-run)/,
      why: 'It deletes files that are not in the history.',
    },
    checkout: DISCARDS,
    switch: DISCARDS,
    branch: { has: /^(?:-[a-zA-Z]*[Df]|--force)$/, why: 'It deletes or moves a branch that is not merged.' },
    gc: { has: /^--prune=(?:now|all)/, why: UNREACHABLE },
    prune: { why: UNREACHABLE },
    rm: { has: /^(?:-[a-z]*r[a-z]*|\.|\*|:.*)$/, but: /^--cached$/, why: 'It deletes files.' },
    'update-ref': { has: /^-d$/, why: 'It deletes a branch.' },
    worktree: OF_A_FOLDER,
    submodule: OF_A_FOLDER,
    'filter-branch': SHOWS,
    'filter-repo': SHOWS,
    credential: SHOWS,
    'credential-store': SHOWS,
    'credential-cache': SHOWS,
    daemon: SHOWS,
    instaweb: SHOWS,
    'send-email': SHOWS,
  } satisfies Record<string, Row>),
);

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
  if (action === 'restore' && has(/^(?:--staged|-S)$/) && !has(/^--worktree$|^-W$/)) return undefined;
  const row = ACTIONS.get(action === 'restore' ? 'checkout' : action);
  if (row) return (!row.has || has(row.has)) && !(row.but && has(row.but)) ? danger(row.why) : undefined;
  const [first = ''] = rest;
  if (action === 'stash' && /^(?:clear|drop)$/.test(first)) return danger('It deletes stashed changes.');
  if (action === 'reflog' && /^(?:expire|delete)$/.test(first)) return danger(UNREACHABLE);
  if (action === 'config' && has(GIT_RUNS) && rest.filter((arg) => !arg.startsWith('-')).length > 1)
    return danger('It names a command that git runs later.');
  return undefined;
}

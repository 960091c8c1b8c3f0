import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, run } from './run.ts';

/** The commit `npm run check` passed last. */
const PASSED = join(ROOT, '.cache', 'check-passed');

export type Changes = {
  since: string;
  /** Paths from the root, including uncommitted, untracked and deleted files. */
  files: string[];
};

/** Invalid input of `npm run check`, with a one-line message. */
export class CheckInputError extends Error {}

/** Changes since the given commit, the last one that passed, or HEAD. */
export async function changesSince(name: string | undefined): Promise<Changes> {
  await requireRepository();
  const since = name === undefined ? await lastPassed() : await commitOf(name);
  if (since === null) {
    const reason = name === undefined ? 'the repository has no commits' : `unknown commit "${name}"`;
    throw new CheckInputError(`--since: ${reason}. Name a commit, a branch or a tag of this repository.`);
  }
  const [changed, added] = await Promise.all([
    git('diff', '--name-only', '--no-renames', since, '--'),
    git('ls-files', '--others', '--exclude-standard'),
  ]);
  return { since, files: [...new Set([...linesOf(changed), ...linesOf(added)])] };
}

/** Stores the commit of the working tree as the last one that passed. */
export async function rememberPassed(): Promise<void> {
  const head = await commitOf('HEAD');
  if (head === null) return;
  mkdirSync(dirname(PASSED), { recursive: true });
  writeFileSync(PASSED, head);
}

async function lastPassed(): Promise<string | null> {
  const recorded = existsSync(PASSED) ? await commitOf(readFileSync(PASSED, 'utf8')) : null;
  return recorded ?? commitOf('HEAD');
}

async function commitOf(name: string): Promise<string | null> {
  const found = await git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
  return found.trim() || null;
}

/** @throws CheckInputError if git is missing, or this folder is not a repository */
async function requireRepository(): Promise<void> {
  const ran = await run('git', ['rev-parse', '--git-dir'], { quiet: true }).catch(() => null);
  if (ran?.code === 0) return;
  const reason = ran === null ? 'git is not installed' : `git cannot read ${ROOT}: ${ran.output.trim().split('\n')[0]}`;
  throw new CheckInputError(`Cannot list changes: ${reason}. Run "npm test" to check everything without git.`);
}

async function git(...args: string[]): Promise<string> {
  const { code, output } = await run('git', args, { quiet: true });
  return code === 0 ? output : '';
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

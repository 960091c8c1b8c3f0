import { createHash } from 'node:crypto';
import type { SkillProblem, SkillSource } from '@toolyard/protocol';
import type { SkillHead } from './read-skill-text.ts';

/** Limits of one skill, those of SEP-2640. */
export const MAX_FILES = 512;
export const MAX_BYTES = 16 * 1024 * 1024;
/** Skills of one source. */
export const MAX_SKILLS = 200;

export const SKILL_FILE = 'SKILL.md';

/** The files of a skill by their paths, which are relative and have slashes. */
export type SkillFiles = ReadonlyMap<string, Uint8Array>;

/** A valid skill of a source. Its files are read on demand, and may differ from the digest by then. */
export type FoundSkill = {
  id: string;
  source: SkillSource;
  head: SkillHead;
  digest: string;
  files: readonly { path: string; size: number }[];
  /**
   * All files, or some of them. @throws ToolyardError, or {@link SkillFault} for files that do not have the digest
   * any more
   */
  read(paths?: readonly string[], signal?: AbortSignal): Promise<SkillFiles>;
};

/** What a source has. */
export type FoundSkills = { skills: FoundSkill[]; problems: SkillProblem[] };

/** Whether a path is relative, stays in its folder, and is one line: digests are made of lines. */
export function isPlainPath(path: string): boolean {
  const parts = path.split('/');
  return parts.every((part) => part !== '' && part !== '.' && part !== '..') && !/[\u0000-\u001f\u007f\\]/.test(path);
}

/** Identifies a skill of an owner, whatever its content. */
export function skillId(source: SkillSource, name: string): string {
  if (source.kind === 'data') return `data:${name}`;
  if (source.kind === 'server') return `server:${source.serverId}:${name}`;
  return `workspace:${sha256(source.path).slice(0, 16)}:${name}`;
}

/**
 * The digest of a skill: SHA-256 of what `sha256sum` prints for its files, sorted by path in code units: 64 digits, two
 * spaces, the path, a line feed. The same files have the same digest in a folder and on a server.
 */
export function getDigest(hashes: readonly { path: string; hash: string }[]): string {
  const sorted = hashes.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return `sha256:${sha256(sorted.map(({ path, hash }) => `${hash}  ${path}\n`).join(''))}`;
}

export function digestOfFiles(files: SkillFiles): string {
  return getDigest([...files].map(([path, bytes]) => ({ path, hash: sha256(bytes) })));
}

export function sha256(of: string | Uint8Array): string {
  return createHash('sha256').update(of).digest('hex');
}

/** Counts as the user reads them: `data` first, then the workspace, then servers; by name within a source. */
export function bySourceAndName(one: FoundSkill, other: FoundSkill): number {
  const rank = ({ source }: FoundSkill): number => ['data', 'workspace', 'server'].indexOf(source.kind);
  const key = ({ source, head }: FoundSkill): string =>
    `${source.kind === 'server' ? source.serverId : ''}\n${head.name}`;
  return rank(one) - rank(other) || (key(one) < key(other) ? -1 : 1);
}

import type { BigIntStats } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { SkillSource } from '@toolyard/protocol';
import { defined, ToolyardError, say, withTemplates } from '@toolyard/protocol';
import { openFile } from '../workspace/workspace-path.ts';
import { readSkillText } from './read-skill-text.ts';
import type { FoundSkill, FoundSkills, SkillFiles } from './skill.ts';
import { digestOfFiles, isPlainPath, MAX_BYTES, MAX_FILES, MAX_SKILLS, SKILL_FILE, skillId } from './skill.ts';
import { SkillFault, faultText } from './skill-fault.ts';

/** Folders below that of a skill. */
const MAX_DEPTH = 8;
/** Skills whose digests are kept as long as their files are unchanged. */
const MAX_KEPT = 500;

/** Reads folders of skills. Files that have not changed are not hashed again. */
export class FolderSkills {
  readonly #kept = new Map<string, { signature: string; outcome: Promise<FoundSkill> }>();

  /**
   * The skills of a folder, one folder each. What is no valid skill is a problem, and the others are used. A folder that
   * does not exist has none.
   *
   * @param root an absolute path
   */
  async read(root: string, source: SkillSource): Promise<FoundSkills> {
    const found: FoundSkills = { skills: [], problems: [] };
    const problem = (place: string, thrown: unknown): void => {
      const line = thrown instanceof SkillFault ? thrown.line : undefined;
      found.problems.push(withTemplates({ source, place, reason: faultText(thrown), ...defined({ line }) }));
    };
    let names: string[];
    try {
      // Not through a link: a workspace must not lead to folders elsewhere.
      if ((await realpath(root)) !== root)
        throw new SkillFault(say`${root} is behind a symbolic link, which is not followed.`);
      names = (await readdir(root)).filter((name) => !name.startsWith('.')).sort();
    } catch (thrown) {
      if (!isMissing(thrown)) problem('', thrown);
      return found;
    }
    if (names.length > MAX_SKILLS) {
      problem('', new SkillFault(say`There are more than ${MAX_SKILLS} skills; the others are not read.`));
    }
    for (const name of names.slice(0, MAX_SKILLS)) {
      try {
        const skill = await this.#readSkill(join(root, name), name, source);
        if (skill !== null) found.skills.push(skill);
      } catch (thrown) {
        problem(name, thrown);
      }
    }
    return found;
  }

  /** Null for a file beside the skills. */
  async #readSkill(folder: string, name: string, source: SkillSource): Promise<FoundSkill | null> {
    const stats = await lstat(folder);
    if (stats.isSymbolicLink()) throw new SkillFault(say`${name} is a symbolic link, which is not followed.`);
    if (!stats.isDirectory()) return null;
    const scanned = await scan(folder);
    const signature = JSON.stringify(scanned.map(({ path, state }) => [path, state]));
    const known = this.#kept.get(folder);
    if (known?.signature === signature) return known.outcome;
    const outcome = hashSkill({ folder, name, source, scanned });
    // Invalid as long as it is unchanged; what the system refused may work next time.
    outcome.catch((thrown: unknown) => thrown instanceof SkillFault || this.#kept.delete(folder));
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= MAX_KEPT) this.#kept.delete(oldest);
    this.#kept.set(folder, { signature, outcome });
    return outcome;
  }
}

type ScannedSkill = { folder: string; name: string; source: SkillSource; scanned: readonly Scanned[] };

async function hashSkill({ folder, name, source, scanned }: ScannedSkill): Promise<FoundSkill> {
  const bytes = await readFiles(folder, scanned);
  const text = bytes.get(SKILL_FILE);
  if (text === undefined) throw new SkillFault(say`The folder has no SKILL.md.`);
  const digest = digestOfFiles(bytes);
  return {
    id: skillId(source, name),
    source,
    head: await readSkillText(text, name),
    digest,
    files: [...bytes].map(([path, { length }]) => ({ path, size: length })),
    async read(paths) {
      const all = await readSkillFiles(folder);
      if (digestOfFiles(all) !== digest) throw new SkillFault(say`The files of "${name}" have just changed.`);
      return paths === undefined ? all : new Map([...all].filter(([path]) => paths.includes(path)));
    },
  };
}

/** All files of a skill's folder. @throws SkillFault, ToolyardError */
export async function readSkillFiles(folder: string): Promise<SkillFiles> {
  return readFiles(folder, await scan(folder));
}

type Scanned = { path: string; size: number; state: string };

/** The regular files below a folder, by path. @throws SkillFault for links, other kinds of files, and too many files */
async function scan(folder: string): Promise<Scanned[]> {
  const found: Scanned[] = [];
  let bytes = 0;
  const look = async (below: string, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH) throw new SkillFault(say`The skill has more than ${MAX_DEPTH} levels of folders.`);
    for (const name of await readdir(join(folder, below))) {
      const path = below === '' ? name : `${below}/${name}`;
      if (!isPlainPath(path)) throw new SkillFault(`The name of the file ${JSON.stringify(path)} is not allowed.`);
      const stats = await lstat(join(folder, path), { bigint: true });
      if (stats.isSymbolicLink())
        throw new SkillFault(say`The skill contains the symbolic link ${path}; links are not followed.`);
      if (stats.isDirectory()) await look(path, depth + 1);
      else if (!stats.isFile()) throw new SkillFault(say`The skill contains ${path}, which is not a regular file.`);
      else {
        bytes += Number(stats.size);
        found.push({ path, size: Number(stats.size), state: getState(stats) });
      }
      if (found.length > MAX_FILES) throw new SkillFault(say`The skill has more than ${MAX_FILES} files.`);
      if (bytes > MAX_BYTES) throw new SkillFault(say`The skill has more than ${MAX_BYTES / 1024 / 1024} MB.`);
    }
  };
  await look('', 0);
  return found.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Changes with every change of a file. */
function getState({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

async function readFiles(folder: string, scanned: readonly Scanned[]): Promise<SkillFiles> {
  const files = new Map<string, Uint8Array>();
  for (const { path, size } of scanned) {
    await using handle = await openFile({ root: folder }, path, 'read').catch((thrown: unknown) => {
      throw ToolyardError.isInstance(thrown) ? new SkillFault(thrown.message) : thrown;
    });
    // Not more than was counted: the file may grow meanwhile, and the digest then differs.
    const bytes = Buffer.alloc(size);
    const { bytesRead } = await handle.read(bytes, 0, size, 0);
    files.set(path, bytes.subarray(0, bytesRead));
  }
  return files;
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR');
}

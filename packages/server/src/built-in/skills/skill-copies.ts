import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readSkillFiles } from './folder-skills.ts';
import type { FoundSkill } from './skill.ts';
import { digestOfFiles } from './skill.ts';

/** Digits of the digest in a path. The copy itself is checked against the whole digest. */
const DIGITS = 16;

/**
 * Copies of skills for the sandbox of commands: exactly the files that the user switched on, whatever happens to the
 * skill's folder or server meanwhile, and outside of the data folder, which no command sees.
 */
export class SkillCopies {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  getFolder({ digest, head }: FoundSkill): string {
    return join(this.folder, digest.replace('sha256:', '').slice(0, DIGITS), head.name);
  }

  /**
   * Writes the copy, unless it is there; returns its folder with links resolved. @throws what reading the skill throws
   */
  async write(skill: FoundSkill, signal?: AbortSignal): Promise<string> {
    const target = this.getFolder(skill);
    if (await hasDigest(target, skill.digest)) return realpath(target);
    const files = await skill.read(undefined, signal);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const written = await mkdtemp(`${target}-`);
    try {
      for (const [path, bytes] of files) {
        const file = join(written, ...path.split('/'));
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        // Executable: a skill of a server has no modes, and its scripts may be called directly.
        await writeFile(file, bytes, { flag: 'wx', mode: 0o700 });
      }
      await rm(target, { recursive: true, force: true });
      await rename(written, target);
    } catch (thrown) {
      await rm(written, { recursive: true, force: true });
      // Another call may have written the same copy.
      if (!(await hasDigest(target, skill.digest))) throw thrown;
    }
    return realpath(target);
  }

  /** Deletes the copies of a digest. */
  async remove(digest: string): Promise<void> {
    await rm(join(this.folder, digest.replace('sha256:', '').slice(0, DIGITS)), { recursive: true, force: true });
  }
}

async function hasDigest(folder: string, digest: string): Promise<boolean> {
  try {
    return digestOfFiles(await readSkillFiles(folder)) === digest;
  } catch {
    return false;
  }
}

import type { Stats } from 'node:fs';
import { statfsSync, statSync } from 'node:fs';
import { linkIn, namesIn, readText, tryTo } from '../system-files.ts';

/**
 * The rule: **what a sandbox keeps in memory counts as its memory, also where no process has mapped it**: its temporary file
 * systems, and files without a name (`memfd_create`). The bytes beyond those that its processes have mapped; 0 while the
 * whole machine has less than half of `limit` in such files. Segments of System V that no process has attached are not
 * seen.
 */
export function unmappedMemory(first: number, processes: readonly string[], limit: number): number {
  if (kilobytes('/proc/meminfo', 'Shmem') <= limit / 2) return 0;
  const mapped = processes.reduce((sum, folder) => sum + kilobytes(`${folder}/status`, 'RssShmem'), 0);
  return Math.max(0, inFileSystems(first) + inNamelessFiles(processes) - mapped);
}

/** In the temporary file systems that only the sandbox has; those of the machine may be mounted in it too. */
function inFileSystems(first: number): number {
  const ofMachine = new Set(temporaryMounts('/proc/self/mountinfo').map(({ device }) => device));
  const own = new Map(temporaryMounts(`/proc/${first}/mountinfo`).map((each) => [each.device, each.path]));
  let sum = 0;
  for (const [device, path] of own) {
    if (ofMachine.has(device)) continue;
    sum += tryTo(() => {
      const root = `/proc/${first}/root${path}`;
      // Another file system may be mounted above it.
      if (statSync(root).dev !== device) return 0;
      const { blocks, bfree, bsize } = statfsSync(root);
      return (blocks - bfree) * bsize;
    }, 0);
  }
  return sum;
}

/** Lines are "id parent major:minor root path options - type source options". */
function temporaryMounts(list: string): { device: number; path: string }[] {
  return readText(list)
    .split('\n')
    .flatMap((line) => {
      const [, , numbers = '', , path = ''] = line.split(' ');
      const [major = 0, minor = 0] = numbers.split(':').map(Number);
      if (!line.includes(' - tmpfs ')) return [];
      return [{ device: major * 256 + (minor % 256) + Math.floor(minor / 256) * 1_048_576, path: unescaped(path) }];
    });
}

/** Spaces and other separators are octal numbers. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

function inNamelessFiles(processes: readonly string[]): number {
  const found = new Map<number, Stats>();
  for (const folder of processes) {
    for (const name of namesIn(`${folder}/fd`)) {
      const path = `${folder}/fd/${name}`;
      if (!linkIn(path).startsWith('/memfd:')) continue;
      const stats = tryTo(() => statSync(path), undefined);
      if (stats !== undefined) found.set(stats.ino, stats);
    }
  }
  return [...found.values()].reduce((sum, { blocks }) => sum + blocks * 512, 0);
}

function kilobytes(path: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readText(path))?.[1] ?? 0) * 1_024;
}

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resolvePath } from './machine-files.ts';
import type { SandboxProfile } from './profile.ts';
import { expandHome, isInside, isVisible } from './profile.ts';

const PROJECT_FILES = ['package.json', 'pyproject.toml', 'requirements.txt', 'deno.json'];

/** Files and folders in the arguments of a server that it cannot see; the user may want to allow them. */
export function proposedPaths(args: readonly string[], profile: SandboxProfile, home: string): string[] {
  const paths = args.flatMap((arg) => {
    const text = expandHome(/^--?[\w-]+=(.*)$/s.exec(arg)?.[1] ?? arg, home);
    const found = text.startsWith('/') && text !== '/' ? resolvePath(text) : undefined;
    if (found === undefined || isVisible(profile, text, 'read')) return [];
    return [!found.isFolder && /\.([cm]?[jt]s|py|rb)$/.test(text) ? findProject(text, home) : text];
  });
  return [...new Set(paths)].slice(0, 20);
}

/** A script needs its packages: the folder of its project, else the folder of the script. */
function findProject(script: string, home: string): string {
  for (let folder = dirname(script); !isInside(home, folder); folder = dirname(folder)) {
    if (PROJECT_FILES.some((name) => existsSync(join(folder, name)))) return folder;
  }
  return isInside(home, dirname(script)) ? script : dirname(script);
}

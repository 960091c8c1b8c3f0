import { join } from 'node:path';
import type { SandboxSettings } from '../../config/sandbox-settings.ts';
import type { ExtraFiles } from './launcher-files.ts';
import { resolvePath } from './machine-files.ts';

/** Default browser folders of Playwright, relative to the home folder. */
const BROWSERS = ['.cache/ms-playwright', 'Library/Caches/ms-playwright'];

/**
 * The browsers installed with Playwright, for a server with the profile `browser`. Browsers of the system are mounted
 * with the other programs.
 */
export function browserFiles({ profile }: SandboxSettings, home: string): ExtraFiles {
  const places = profile === 'browser' ? BROWSERS : [];
  const [found] = places.flatMap((name) => {
    const path = join(home, name);
    const source = resolvePath(path)?.path;
    return source === undefined ? [] : [{ path, source }];
  });
  return found === undefined
    ? { mounts: [], own: [], env: {} }
    : { mounts: [found], own: [], env: { PLAYWRIGHT_BROWSERS_PATH: found.path } };
}

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeFonts } from './fonts.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const UNPACK = "await (await import('@sparticuz/chromium')).default.executablePath()";

/** Why there is no browser on this machine; null where there is one. */
export const NO_BROWSER = process.platform === 'linux' ? null : 'the Chromium of the npm package runs on Linux only';

/**
 * The folder with the Chromium of the npm package, its libraries and the fonts of the tests. They are unpacked beside
 * it and moved there as a whole: several processes may do so at once, and whoever finds the folder finds all of it.
 */
export async function unpackBrowser(): Promise<string> {
  const folder = join(tmpdir(), `toolyard-chromium-${versionOf('@sparticuz/chromium')}`);
  if (existsSync(folder)) return folder;
  const aside = mkdtempSync(`${folder}-`);
  // The package unpacks into the temporary folder, and what Chromium needs only where it believes to be on the machine
  // it was made for.
  const env = { PATH: process.env['PATH'], TMPDIR: aside, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' };
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', UNPACK], {
    cwd: HERE,
    env: { ...env, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
  });
  writeFonts(aside, folder);
  try {
    renameSync(aside, folder);
  } catch (error) {
    rmSync(aside, { recursive: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Before the first test in a browser, once for all of them. */
export async function setup(): Promise<void> {
  if (NO_BROWSER === null) await unpackBrowser();
}

/** Another version is unpacked to another place. */
function versionOf(name: string): string {
  const manifest = readFileSync(join(HERE, '../package.json'), 'utf8');
  const { devDependencies } = JSON.parse(manifest) as { devDependencies: Record<string, string> };
  return devDependencies[name] ?? '';
}

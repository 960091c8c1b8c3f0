import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Need } from '@toolyard/testing';
// Vitest loads this file without the condition under which packages of the workspace run from their sources.
import { sharedFolder } from '../../testing/src/shared-folder.ts';
import { writeFonts } from './fonts.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const UNPACK = "await (await import('@sparticuz/chromium')).default.executablePath()";

/** Reports to the workers why no browser is available, if so. */
const MISSING_VARIABLE = 'TOOLYARD_TEST_NO_BROWSER';
const NOT_LINUX = process.platform === 'linux' ? null : 'the Chromium of the npm package runs on Linux only';

/** For tests in a browser, see `needs`. */
export const BROWSER: Need = { name: 'browser', missing: NOT_LINUX ?? process.env[MISSING_VARIABLE] ?? null };

const run = promisify(execFile);

/**
 * The folder with the Chromium of the npm package, its libraries and the fonts of the tests, unpacked once per version.
 */
async function unpackBrowser(): Promise<string> {
  return sharedFolder(`chromium-${readVersion('@sparticuz/chromium')}`, async (aside, folder) => {
    // The package unpacks into the temporary folder, and the libraries Chromium needs only on the platform it was made
    // for.
    const env = { PATH: process.env['PATH'], TMPDIR: aside, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' };
    await run(process.execPath, ['--input-type=module', '--eval', UNPACK], {
      cwd: HERE,
      env: { ...env, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
    });
    writeFonts(aside, folder);
  });
}

/** Environment for the start: its own libraries come first. */
export async function browserCommand(): Promise<{ executablePath: string; env: Record<string, string> }> {
  const folder = await unpackBrowser();
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      LD_LIBRARY_PATH: [join(folder, 'al2023', 'lib'), process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

/** Unpacks the browser and starts it once. Returns why it cannot run here, in one line, or null. */
export async function whyNoBrowser(): Promise<string | null> {
  if (NOT_LINUX !== null) return NOT_LINUX;
  try {
    const { executablePath, env } = await browserCommand();
    await run(executablePath, ['--version'], { env: { ...process.env, ...env } });
    return null;
  } catch (error) {
    return `the Chromium of the npm package does not run here: ${getLine(error)}`;
  }
}

/** Vitest calls it before the first test in a browser. */
export async function setup(): Promise<void> {
  const missing = await whyNoBrowser();
  if (missing !== null) process.env[MISSING_VARIABLE] = missing;
}

/** The output of the program is more useful than the exit code. */
function getLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  const lines = `${stderr ?? ''}\n${message}`.split('\n').map((line) => line.trim());
  const [said = ''] = [...lines.filter((line) => /error/i.test(line)), ...lines.filter(Boolean)];
  const library = /([^\s:]+\.so[^\s:]*): cannot open shared object file/.exec(said)?.[1];
  if (library !== undefined) return `install the package with the library ${library}`;
  return `${said}. Programs must be allowed to run from the temporary folder, and 220 MB must be free there`;
}

/** Another version is unpacked to another folder. */
function readVersion(name: string): string {
  const manifest = readFileSync(join(HERE, '../package.json'), 'utf8');
  const { devDependencies } = JSON.parse(manifest) as { devDependencies: Record<string, string> };
  return devDependencies[name] ?? '';
}

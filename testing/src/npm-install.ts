import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const DOWNLOAD_MS = 540_000;
const run = promisify(execFile);

/**
 * Installs what the lock file in a folder pins, without install scripts.
 *
 * @param what named in the error
 * @throws a one-line error
 */
export async function npmCi(folder: string, what: string): Promise<void> {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const args = [
    'ci',
    '--ignore-scripts',
    '--prefer-offline',
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
    ...quiet,
  ];
  const options = { cwd: folder, timeout: DOWNLOAD_MS };
  const cli = process.env['npm_execpath'];
  try {
    // The npm and Node that started the tests, as in scripts/run.ts.
    if (cli !== undefined && /npm-cli\.[cm]?js$/.test(cli)) {
      await run(process.env['TOOLYARD_SYSTEM_NODE'] ?? process.execPath, [cli, ...args], options);
    } else {
      await run('npm', args, { ...options, shell: process.platform === 'win32' });
    }
  } catch (error) {
    throw new Error(`npm could not install ${what}: ${getLine(error)}`);
  }
}

/** The most informative line of error output: npm prints a code first. */
export function getLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  const lines = (stderr ?? '').split('\n').map((line) => line.replace(/^npm error /, '').trim());
  return lines.find((line) => line !== '' && !/^(code|errno|syscall) /.test(line)) ?? message.split('\n', 1).join();
}

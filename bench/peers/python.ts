import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { childEnvironment, findCommand } from '../../packages/mcp-host/src/node/index.ts';
import { run } from '../../scripts/run.ts';
import { say } from '../support/command.ts';
import { cached, REQUIREMENTS } from './folders.ts';

export type Python = {
  /** Installs `requirements/NAME.txt` into a separate environment. Returns its folder of programs. */
  install(name: string): Promise<string>;
};

const CANDIDATES = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];

/** Python 3.10 or newer with `uv`, or the reason why it is missing. The folder of `uvx` is appended to PATH. */
export async function preparePython(): Promise<Python | string> {
  // Without the folders that npm prepends to PATH, so that servers find the programs of the user.
  const path = childEnvironment(process.env).env['PATH'] ?? '';
  const python = await findPython(path);
  if (python === null) return 'Python 3.10 or newer is not installed';
  const tools = cached('python');
  const bin = join(tools, 'bin');
  const problem = await once(tools, 'uv', async () => {
    const made = await quietly(python, ['-m', 'venv', tools]);
    if (made !== null) return `Python cannot make a virtual environment (${made})`;
    const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--quiet'];
    return quietly(join(bin, 'python'), [...pip, '-r', join(REQUIREMENTS, 'uv.txt')]);
  });
  if (problem !== null) return `uv cannot be installed: ${problem}`;
  process.env['PATH'] = `${path}${delimiter}${bin}`;
  return {
    async install(name) {
      const folder = cached(name);
      const failure = await once(folder, name, async () => {
        const made = await quietly(join(bin, 'uv'), ['venv', '--clear', '--python', join(bin, 'python'), folder]);
        const list = join(REQUIREMENTS, `${name}.txt`);
        const target = ['--python', join(folder, 'bin', 'python')];
        // The lists are complete: pip installs no other packages, and builds none.
        const rest = ['--no-deps', '--only-binary', ':all:', '-r', list];
        return made ?? quietly(join(bin, 'uv'), ['pip', 'install', ...target, ...rest]);
      });
      if (failure !== null) throw new Error(`cannot install ${name}: ${failure}`);
      return join(folder, 'bin');
    },
  };
}

async function findPython(path: string): Promise<string | null> {
  for (const name of CANDIDATES) {
    const command = findCommand(name, path);
    if (command === undefined) continue;
    const isNew = await quietly(command, ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))']);
    if (isNew === null) return command;
  }
  return null;
}

/** Installs unless the same list is installed. Returns the error. */
async function once(folder: string, name: string, install: () => Promise<string | null>): Promise<string | null> {
  const list = readFileSync(join(REQUIREMENTS, `${name}.txt`));
  const hash = createHash('sha256').update(list).digest('hex');
  const stamp = join(folder, '.toolyard-installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return null;
  say(`peers: installing ${name} ...`);
  const problem = await install();
  if (problem === null) writeFileSync(stamp, hash);
  return problem;
}

/** Null on success, else its last line of output. */
async function quietly(command: string, args: readonly string[]): Promise<string | null> {
  const { code, output } = await run(command, args, { quiet: true });
  return code === 0 ? null : (output.trim().split('\n').at(-1) ?? `exit code ${code}`);
}

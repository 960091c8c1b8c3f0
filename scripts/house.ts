import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run.ts';

/** The rules of the house no other tool checks; gives what breaks them, or null. */
export function checkHouse(): string | null {
  const wrong = [...lockfileAddresses(), ...versions(), ...longFiles()];
  return wrong.length === 0 ? null : wrong.join('\n');
}

/** The lock file names packages and hashes; where they are fetched from is the machine's affair. */
function lockfileAddresses(): string[] {
  const lock = read('package-lock.json');
  return /"resolved": "https?:/.test(lock) ? ['package-lock.json names download addresses'] : [];
}

/** All packages carry one version, and depend on each other by it. */
function versions(): string[] {
  const expected = (JSON.parse(read('packages/cli/package.json')) as { version: string }).version;
  const wrong: string[] = [];
  if (!read('packages/protocol/src/version.ts').includes(`'${expected}'`))
    wrong.push('VERSION of protocol is another than that of the packages');
  const packages = globSync(['packages/*/package.json', 'servers/*/package.json', 'testing/package.json'], {
    cwd: ROOT,
  });
  for (const path of packages) {
    const { version, dependencies = {} } = JSON.parse(read(path)) as {
      version: string;
      dependencies?: Record<string, string>;
    };
    if (version !== expected) wrong.push(`${path}: version ${version}, the others ${expected}`);
    for (const [name, range] of Object.entries(dependencies)) {
      if (name.startsWith('@toolyard/') && range !== expected)
        wrong.push(`${path}: ${name} is ${range}, not ${expected}`);
    }
  }
  return wrong;
}

/** Lint fails at 500 lines; from 300 on a file is named, so that somebody looks whether it has one subject. */
function longFiles(): string[] {
  const files = execFileSync('git', ['ls-files', '*.ts'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  for (const file of files) {
    if (file === '' || file.endsWith('.test.ts')) continue;
    const lines = read(file).split('\n').length;
    if (lines > 300) console.log(`    ${file} has ${lines} lines: does it still have one subject?`);
  }
  return [];
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

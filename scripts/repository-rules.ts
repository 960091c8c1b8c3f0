import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run.ts';

/** Checks repository rules that no other tool checks; returns the violations, or null. */
export function checkRepositoryRules(): string | null {
  const wrong = [...lockfileAddresses(), ...versions()];
  return wrong.length === 0 ? null : wrong.join('\n');
}

/** The lock file must not name download URLs, so that each machine can use its own registry. */
function lockfileAddresses(): string[] {
  const lock = read('package-lock.json');
  return /"resolved": "https?:/.test(lock) ? ['package-lock.json contains download URLs'] : [];
}

/** All packages have the same version, and depend on it. */
function versions(): string[] {
  const expected = (JSON.parse(read('packages/cli/package.json')) as { version: string }).version;
  const wrong: string[] = [];
  if (!read('packages/protocol/src/version.ts').includes(`'${expected}'`))
    wrong.push('VERSION of protocol differs from the version of the packages');
  const packages = globSync(['packages/*/package.json', 'servers/*/package.json', 'testing/package.json'], {
    cwd: ROOT,
  });
  for (const path of packages) {
    const { version, dependencies = {} } = JSON.parse(read(path)) as {
      version: string;
      dependencies?: Record<string, string>;
    };
    if (version !== expected) wrong.push(`${path}: version ${version} instead of ${expected}`);
    for (const [name, range] of Object.entries(dependencies)) {
      if (name.startsWith('@toolyard/') && range !== expected)
        wrong.push(`${path}: ${name} is ${range} instead of ${expected}`);
    }
  }
  return wrong;
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

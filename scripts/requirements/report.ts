/** Reads the JSON report of a vitest run. */
import { relative, sep } from 'node:path';

/** The last word on a test: one failure among several runs of it (projects, repeats) is a failure. */
export type Outcome = 'passed' | 'failed' | 'skipped';

/** By file, from the repository's root with `/`; then by full name, joined by ` > `. */
export type TestResults = Map<string, Map<string, Outcome>>;

/** Unusable input; the message says all the user needs to know. */
export class InputError extends Error {}

/**
 * @param root the repository's root, in whose terms files are named.
 * @throws {InputError} where the value is no vitest report.
 */
export function readResults(report: unknown, root: string): TestResults {
  const results: TestResults = new Map();
  for (const file of arrayField(report, 'testResults')) {
    const path = relative(root, stringField(file, 'name')).split(sep).join('/');
    const tests = results.get(path) ?? new Map<string, Outcome>();
    results.set(path, tests);
    for (const test of arrayField(file, 'assertionResults')) {
      const name = [...arrayField(test, 'ancestorTitles').map(String), stringField(test, 'title')].join(' > ');
      tests.set(name, worse(tests.get(name), outcomeOf(stringField(test, 'status'))));
    }
  }
  return results;
}

/** Whatever did not run: `skipped`, `pending`, `todo`, `disabled`. */
function outcomeOf(status: string): Outcome {
  return status === 'passed' || status === 'failed' ? status : 'skipped';
}

function worse(before: Outcome | undefined, now: Outcome): Outcome {
  if (before === 'failed' || now === 'failed') return 'failed';
  return before === 'passed' ? 'passed' : now;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function arrayField(value: unknown, name: string): unknown[] {
  const found = field(value, name);
  if (!Array.isArray(found)) throw new InputError(`not a vitest JSON report: the list "${name}" is missing`);
  return found;
}

function stringField(value: unknown, name: string): string {
  const found = field(value, name);
  if (typeof found !== 'string') throw new InputError(`not a vitest JSON report: the text "${name}" is missing`);
  return found;
}

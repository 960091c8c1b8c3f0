/** Proofs of rows: tests with row IDs as tags, from Vitest's JSON report, and checks of `npm test`. */
import { relative, sep } from 'node:path';

/** `by` names the test or the check in messages. */
export type Proof = { by: string; rows: readonly string[]; outcome: 'passed' | 'failed' | 'skipped' };

/** Invalid input, with a message for the user. */
export class InputError extends Error {}

/**
 * The tests of a vitest report that have tags.
 *
 * @param root root of the repository; file names are relative to it
 * @throws {InputError} if the value is not a vitest report
 */
export function proofsOfTests(report: unknown, root: string): Proof[] {
  return arrayField(report, 'testResults').flatMap((file) => {
    const path = relative(root, stringField(file, 'name')).split(sep).join('/');
    return arrayField(file, 'assertionResults').flatMap((test): Proof[] => {
      const rows = arrayField(test, 'tags').map(String);
      const name = [...arrayField(test, 'ancestorTitles').map(String), stringField(test, 'title')].join(' > ');
      const by = `the test "${name}" in ${path}`;
      return rows.length === 0 ? [] : [{ by, rows, outcome: outcomeOf(stringField(test, 'status')) }];
    });
  });
}

/**
 * The checks of `npm test` that prove rows.
 *
 * @throws {InputError} if the value is not in the format of `npm test`
 */
export function proofsOfChecks(checks: unknown): Proof[] {
  if (!Array.isArray(checks)) throw new InputError('the results of the checks are not a list');
  return checks.map((check: unknown) => ({
    by: `the check "${stringField(check, 'name')}"`,
    rows: arrayField(check, 'proves').map(String),
    outcome: outcomeOf(stringField(check, 'status')),
  }));
}

/** Whatever did not run: `skipped`, `pending`, `todo`, `disabled`. */
function outcomeOf(status: string): Proof['outcome'] {
  return status === 'passed' || status === 'failed' ? status : 'skipped';
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

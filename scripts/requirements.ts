/**
 * Compares docs/requirements.md with a test run: `node scripts/requirements.ts --report <vitest report> [--checks <file>]`.
 * A test names the rows it proves as its tags, a check of `npm test` in `proves`. A closed row needs at least one proof,
 * and none of its proofs may fail; if all were skipped, it is reported as not checked.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkRequirements, countRows, formatCounts } from './requirements/check.ts';
import { InputError, proofsOfChecks, proofsOfTests } from './requirements/proofs.ts';
import { parseTable } from './requirements/table.ts';

type Output = { log(line: string): void; error(line: string): void };

/** Returns the exit code. `root` is the repository's root. */
export function main(args: string[], root: string, output: Output): number {
  try {
    return check(readOptions(args), root, output);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    output.error(`requirements: ${error.message}`);
    return 1;
  }
}

type Options = { report: string; checks?: string | undefined };

function check(options: Options, root: string, output: Output): number {
  const table = parseTable(readText(join(root, 'docs/requirements.md')));
  const ofTests = proofsOfTests(readJson(options.report), root);
  const ofChecks = options.checks === undefined ? [] : proofsOfChecks(readJson(options.checks));
  const { problems, notChecked } = checkRequirements(table, [...ofTests, ...ofChecks]);

  for (const line of formatCounts(countRows(table))) output.log(line);
  if (notChecked.length > 0) output.log(`not checked (skipped): ${notChecked.length} rows: ${notChecked.join(', ')}`);
  for (const problem of problems) output.error(problem);
  return problems.length === 0 ? 0 : 1;
}

function readOptions(args: string[]): Options {
  const { report, checks } = parseFlags(args);
  if (report === undefined) throw new InputError('name the test report: --report <file> [--checks <file>]');
  return { report: resolve(report), checks: checks === undefined ? undefined : resolve(checks) };
}

function parseFlags(args: string[]): { report?: string; checks?: string } {
  try {
    return parseArgs({ args, options: { report: { type: 'string' }, checks: { type: 'string' } } }).values;
  } catch (error) {
    throw new InputError(firstLine(error));
  }
}

function readJson(path: string): unknown {
  const text = readText(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${path} is not JSON: ${firstLine(error)}`);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new InputError(`cannot read ${path}: ${firstLine(error)}`);
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1).join();
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2), resolve(import.meta.dirname, '..'), console);

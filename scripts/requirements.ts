/**
 * Compares docs/requirements.md with a test run: `node scripts/requirements.ts --report <vitest report> [--accept]`.
 * A row is closed while none of its tests fails, and a closed row stays closed: docs/requirements.closed.txt lists it.
 * `--accept` adds the rows whose tests all passed. A row with a skipped test is reported as not checked.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkRequirements, countRows, extendClosedList, formatCounts, parseClosedList } from './requirements/check.ts';
import { InputError, readResults } from './requirements/report.ts';
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

type Options = { report: string; accept: boolean };

function check(options: Options, root: string, output: Output): number {
  const table = parseTable(readText(join(root, 'docs/requirements.md')));
  const listPath = join(root, 'docs/requirements.closed.txt');
  const list = parseClosedList(readText(listPath));
  const results = readResults(readJson(options.report), root);
  const { problems, newlyClosed, notChecked } = checkRequirements(table, results, list.ids);
  problems.push(...list.problems);

  for (const line of formatCounts(countRows(table))) output.log(line);
  if (notChecked.length > 0) output.log(`not checked (skipped): ${notChecked.length} rows: ${notChecked.join(', ')}`);
  // A line of the list that is no id would be lost in the rewritten file: it is put right by hand first.
  if (options.accept && newlyClosed.length > 0 && list.problems.length === 0) {
    writeFileSync(listPath, extendClosedList(list, newlyClosed));
    output.log(`newly closed: ${newlyClosed.join(', ')}`);
  } else {
    for (const id of newlyClosed) problems.push(`row ${id}: is newly closed; run \`npm run requirements -- --accept\``);
  }
  for (const problem of problems) output.error(problem);
  return problems.length === 0 ? 0 : 1;
}

function readOptions(args: string[]): Options {
  const { report, accept } = parseFlags(args);
  if (report === undefined) throw new InputError('name the test report: --report <file> [--accept]');
  return { report: resolve(report), accept: accept ?? false };
}

function parseFlags(args: string[]): { report?: string; accept?: boolean } {
  try {
    return parseArgs({ args, options: { report: { type: 'string' }, accept: { type: 'boolean' } } }).values;
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

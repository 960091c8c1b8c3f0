import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from './requirements.ts';
import { checkRequirements, countRows, formatCounts } from './requirements/check.ts';
import type { Proof } from './requirements/proofs.ts';
import { InputError, proofsOfChecks, proofsOfTests } from './requirements/proofs.ts';
import { parseTable } from './requirements/table.ts';

const ROOT = resolve('somewhere');

/** A document with one section per letter, in the order of the rows. */
function documentOf(...rows: string[]): string {
  const letters = [...new Set(rows.map((row) => row.charAt(2)))];
  const sections = letters.map((letter) => {
    const own = rows.filter((row) => row.charAt(2) === letter);
    return [`## ${letter}: flow`, '', ...HEAD, ...own, ''].join('\n');
  });
  return ['# Requirements', '', ...sections].join('\n');
}

const HEAD = ['| id | place | what it says | our name | state |', '| --- | :-: | --- | --- | ---: |'];

function rowOf(id: string, test: string): string {
  return `| ${id} | arrow A -> B | it goes on | Agent | ${test} |`;
}

function proof(rows: string[], outcome: Proof['outcome'] = 'passed', by = 'the test "ends" in a.test.ts'): Proof {
  return { by, rows, outcome };
}

/** The report of one test that names rows. */
function reportOf(root: string, status: string, tags: string[]): unknown {
  const assertionResults = [{ ancestorTitles: ['loop'], title: 'ends', status, tags }];
  return { testResults: [{ name: join(root, 'packages/a/src/loop.test.ts'), assertionResults }] };
}

describe('parseTable', () => {
  it('reads the three states of a row', () => {
    const table = parseTable(
      documentOf(rowOf('D1.01', 'open'), rowOf('D1.02', 'n/a: only colours'), rowOf('M0.01', 'closed')),
    );
    expect(table.problems).toEqual([]);
    expect(table.sections.map(({ letter }) => letter)).toEqual(['D', 'M']);
    expect(table.rows).toEqual([
      { id: 'D1.01', section: 'D', state: 'open' },
      { id: 'D1.02', section: 'D', state: 'n/a' },
      { id: 'M0.01', section: 'M', state: 'closed' },
    ]);
  });

  it.each([
    ['a missing column', '| D1.01 | place | says | open |', 'row D1.01: 4 columns instead of 5'],
    ['a pipe that is not escaped', '| D1.01 | a | b | c | d | open |', 'row D1.01: 6 columns instead of 5'],
    ['an empty column', '| D1.01 | place |  | name | open |', 'row D1.01: the column "what it says" is empty'],
    ['a missing last pipe', '| D1.01 | place | says | name | open', 'row D1.01: the line does not end with'],
    ['a line of one pipe', '|', '"" is not a row ID'],
    ['an id of another form', rowOf('D1-01', 'open'), '"D1-01" is not a row ID'],
    ['n/a without a reason', rowOf('D1.01', 'n/a'), 'row D1.01: "n/a" is not "open"'],
    ['n/a with an empty reason', rowOf('D1.01', 'n/a: '), 'row D1.01: "n/a:" is not "open"'],
    ['the name of a test', rowOf('D1.01', 'x/y.test.ts > ends'), 'row D1.01: "x/y.test.ts > ends" is not "open"'],
    ['an unknown state', rowOf('D1.01', 'done'), 'row D1.01: "done" is not "open"'],
    ['a row without its first pipe', 'D1.01 | place | says | name | open |', 'a row begins with "|"'],
  ])('reports %s', (_, line, complaint) => {
    const document = ['## D: flow', '', ...HEAD, rowOf('D9.01', 'open'), line, ''].join('\n');
    const { problems, rows } = parseTable(document);
    expect(rows.map(({ id }) => id)).toEqual(['D9.01']);
    expect(problems).toEqual([expect.stringContaining(complaint)]);
  });

  it('reports a duplicate ID', () => {
    const { problems, rows } = parseTable(documentOf(rowOf('D1.01', 'open'), rowOf('D1.01', 'n/a: again')));
    expect(problems).toEqual([expect.stringContaining('row D1.01: the id is used twice')]);
    expect(rows).toHaveLength(1);
  });

  it('reports a row in the wrong section', () => {
    const document = ['## M: flow', '', ...HEAD, rowOf('D1.01', 'open')].join('\n');
    expect(parseTable(document).problems).toContainEqual(expect.stringContaining('row D1.01: is in section M'));
  });

  it('reports wrong column names', () => {
    const document = ['## D: flow', '', '| id | test |', '|---|---|', rowOf('D1.01', 'open')].join('\n');
    expect(parseTable(document).problems).toEqual([
      expect.stringContaining('a table begins with the columns id, place'),
    ]);
  });

  it('reports rows outside of a table', () => {
    const document = ['## D: flow', '', ...HEAD, rowOf('D1.01', 'open'), '', rowOf('D1.02', 'open')].join('\n');
    expect(parseTable(document).problems).toEqual([expect.stringContaining('a table begins with the columns')]);
  });

  it('reports a document without rows', () => {
    expect(parseTable('# Requirements\n').problems).toEqual(['there is no row at all']);
  });
});

describe('proofsOfTests', () => {
  it.each([
    ['passed', 'passed'],
    ['failed', 'failed'],
    ['pending', 'skipped'],
    ['todo', 'skipped'],
  ])('reads a test that is %s as a proof that is %s', (status, outcome) => {
    const by = 'the test "loop > ends" in packages/a/src/loop.test.ts';
    expect(proofsOfTests(reportOf(ROOT, status, ['D1.01', 'C1.02']), ROOT)).toEqual([
      { by, rows: ['D1.01', 'C1.02'], outcome },
    ]);
  });

  it('ignores a test without row IDs', () => {
    expect(proofsOfTests(reportOf(ROOT, 'passed', []), ROOT)).toEqual([]);
  });

  it.each([[null], [[]], [{}], [{ testResults: [{}] }], [{ testResults: [{ name: 'a', assertionResults: [{}] }] }]])(
    'rejects %j',
    (report) => {
      expect(() => proofsOfTests(report, ROOT)).toThrow(InputError);
    },
  );
});

describe('proofsOfChecks', () => {
  it('reads the checks of npm test', () => {
    const checks = [{ name: 'lint', proves: ['M0.44'], status: 'failed' }];
    expect(proofsOfChecks(checks)).toEqual([{ by: 'the check "lint"', rows: ['M0.44'], outcome: 'failed' }]);
  });

  it.each([[null], [{}], [[null]], [[{ name: 'lint' }]]])('rejects %j', (checks) => {
    expect(() => proofsOfChecks(checks)).toThrow(InputError);
  });
});

describe('checkRequirements', () => {
  /** The findings of one row in this state. */
  const findings = (state: string, ...proofs: Proof[]) =>
    checkRequirements(parseTable(documentOf(rowOf('D1.01', state))), proofs);
  const nothing = { problems: [], notChecked: [] };

  it('reports nothing on rows that are open, n/a or closed with a proof', () => {
    expect(findings('open')).toEqual(nothing);
    expect(findings('n/a: colours')).toEqual(nothing);
    expect(findings('closed', proof(['D1.01']))).toEqual(nothing);
  });

  it('reports the problems of the table', () => {
    expect(findings('done').problems).toContainEqual(expect.stringContaining('row D1.01'));
  });

  it('reports a closed row without a proof', () => {
    expect(findings('closed').problems).toEqual(['row D1.01: is closed, but nothing in the report proves it']);
  });

  it('reports each proof that failed, whatever else passed or was skipped', () => {
    const proofs = (['passed', 'skipped', 'failed'] as const).map((outcome) => proof(['D1.01'], outcome));
    expect(findings('closed', ...proofs)).toEqual({
      problems: ['row D1.01: the test "ends" in a.test.ts failed'],
      notChecked: [],
    });
  });

  it('reports a row as not checked if all its proofs were skipped', () => {
    const skipped = proof(['D1.01'], 'skipped');
    expect(findings('closed', skipped, skipped)).toEqual({ problems: [], notChecked: ['D1.01'] });
    expect(findings('closed', skipped, proof(['D1.01']))).toEqual(nothing);
  });

  it.each(['open', 'n/a: colours'])('reports a proof of a row that is %s', (state) => {
    const kind = state.replace(/:.*/, '');
    expect(findings(state, proof(['D1.01'])).problems).toEqual([
      `row D1.01: is ${kind}, but the test "ends" in a.test.ts proves it: close the row`,
    ]);
  });

  it('reports an id that does not exist', () => {
    expect(findings('closed', proof(['D1.01', 'D1.1'])).problems).toEqual([
      'row D1.1: the test "ends" in a.test.ts names it, but it does not exist',
    ]);
  });
});

describe('countRows', () => {
  it('counts by section and in total', () => {
    const table = parseTable(
      documentOf(rowOf('D1.01', 'open'), rowOf('D1.02', 'n/a: colours'), rowOf('C1.01', 'closed')),
    );
    const counts = countRows(table);
    expect(counts).toEqual([
      { label: 'D flow', rows: 2, closed: 0, notApplicable: 1, open: 1 },
      { label: 'C flow', rows: 1, closed: 1, notApplicable: 0, open: 0 },
      { label: 'total', rows: 3, closed: 1, notApplicable: 1, open: 1 },
    ]);
    expect(formatCounts(counts).at(-1)).toMatch(/^total\s+3\s+1\s+1\s+1$/);
  });
});

describe('the command', () => {
  let root: string;
  let log: string[];
  let errors: string[];
  const output = { log: (line: string) => void log.push(line), error: (line: string) => void errors.push(line) };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'requirements-'));
    mkdirSync(join(root, 'docs'));
    log = [];
    errors = [];
    write('docs/requirements.md', documentOf(rowOf('D1.01', 'closed'), rowOf('M0.01', 'closed')));
    write('report.json', reportOf(root, 'passed', ['D1.01']));
    write('checks.json', [{ name: 'lint', proves: ['M0.01'], status: 'passed' }]);
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function write(path: string, content: unknown): void {
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }

  function run(): number {
    return main(['--report', join(root, 'report.json'), '--checks', join(root, 'checks.json')], root, output);
  }

  it('accepts rows that tests and checks prove', () => {
    expect(run()).toBe(0);
    expect(log.at(-1)).toMatch(/^total\s+2\s+2\s+0\s+0$/);
    expect(errors).toEqual([]);
  });

  it('fails on a row that nothing proves', () => {
    write('checks.json', []);
    expect(run()).toBe(1);
    expect(errors).toEqual(['row M0.01: is closed, but nothing in the report proves it']);
  });

  it('does not fail on a skipped test', () => {
    write('report.json', reportOf(root, 'skipped', ['D1.01']));
    expect(run()).toBe(0);
    expect(log.at(-1)).toBe('not checked (skipped): 1 rows: D1.01');
  });

  it.each([
    ['a missing report', (): void => rmSync(join(root, 'report.json')), 'cannot read'],
    ['a report that is no JSON', (): void => write('report.json', '{\n'), 'is not JSON'],
    ['a report of another kind', (): void => write('report.json', '[]'), 'not a vitest JSON report'],
    ['a missing table', (): void => rmSync(join(root, 'docs/requirements.md')), 'cannot read'],
    ['results of checks of another kind', (): void => write('checks.json', '{}'), 'not a list'],
  ])('reports %s in one line', (_, spoil, complaint) => {
    spoil();
    expect(run()).toBe(1);
    expect(errors).toEqual([expect.stringContaining(complaint)]);
    expect(errors[0]).not.toContain('\n');
    expect(log).toEqual([]);
  });

  it.each([
    ['no report', [], '--report'],
    ['an unknown flag', ['--report', 'x', '--remove'], '--remove'],
  ])('reports %s in one line', (_, args, complaint) => {
    expect(main(args, root, output)).toBe(1);
    expect(errors).toEqual([expect.stringContaining(complaint)]);
  });
});

describe('the committed requirements', () => {
  const docs = resolve(import.meta.dirname, '../docs');

  it('can be parsed without problems', () => {
    const table = parseTable(readFileSync(join(docs, 'requirements.md'), 'utf8'));
    expect(table.problems).toEqual([]);
    expect(table.sections.map(({ letter }) => letter)).toEqual(['D', 'M', 'C']);
  });
});

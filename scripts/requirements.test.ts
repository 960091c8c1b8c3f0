import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from './requirements.ts';
import { checkRequirements, countRows, extendClosedList, formatCounts, parseClosedList } from './requirements/check.ts';
import { InputError, readResults } from './requirements/report.ts';
import { parseTable } from './requirements/table.ts';

const ROOT = resolve('somewhere');
const PASSED = '`packages/a/src/loop.test.ts > loop > ends`';

/** A document with one section for each letter used, in the order of the rows. */
function documentOf(...rows: string[]): string {
  const letters = [...new Set(rows.map((row) => row.charAt(2)))];
  const sections = letters.map((letter) => {
    const own = rows.filter((row) => row.charAt(2) === letter);
    return [`## ${letter}: flow`, '', ...HEAD, ...own, ''].join('\n');
  });
  return ['# Requirements', '', ...sections].join('\n');
}

const HEAD = ['| id | place | what it says | our name | test |', '| --- | :-: | --- | --- | ---: |'];

function rowOf(id: string, test: string): string {
  return `| ${id} | arrow A -> B | it goes on | Agent | ${test} |`;
}

type FakeTest = { titles: string[]; status: string };

function reportOf(file: string, ...tests: FakeTest[]): unknown {
  const assertionResults = tests.map(({ titles, status }) => ({
    ancestorTitles: titles.slice(0, -1),
    title: titles.at(-1),
    fullName: titles.join(' '),
    status,
  }));
  return { testResults: [{ name: join(ROOT, file), status: 'passed', assertionResults }] };
}

function resultsOf(status: string): ReturnType<typeof readResults> {
  return readResults(reportOf('packages/a/src/loop.test.ts', { titles: ['loop', 'ends'], status }), ROOT);
}

/** The complaints about one document, given the status of the one test there is and the ids closed before. */
function problemsOf(document: string, status = 'passed', closedBefore: string[] = []): string[] {
  return checkRequirements(parseTable(document), resultsOf(status), closedBefore).problems;
}

describe('parseTable', () => {
  it('reads the three states of a row', () => {
    const table = parseTable(
      documentOf(
        rowOf('D1.01', 'open'),
        rowOf('D1.02', 'n/a: only colours'),
        rowOf('M0.01', `${PASSED}<br>x/y.test.ts > a \\| b`),
      ),
    );
    expect(table.problems).toEqual([]);
    expect(table.sections.map(({ letter }) => letter)).toEqual(['D', 'M']);
    expect(table.rows).toEqual([
      { id: 'D1.01', section: 'D', state: { kind: 'open' } },
      { id: 'D1.02', section: 'D', state: { kind: 'n/a', reason: 'only colours' } },
      {
        id: 'M0.01',
        section: 'M',
        state: {
          kind: 'closed',
          tests: [
            { file: 'packages/a/src/loop.test.ts', name: 'loop > ends' },
            { file: 'x/y.test.ts', name: 'a | b' },
          ],
        },
      },
    ]);
  });

  it('takes a reference out of two backticks when its name holds one', () => {
    const [row] = parseTable(documentOf(rowOf('D1.01', '``x/y.test.ts > reads `a` ``'))).rows;
    expect(row?.state).toEqual({ kind: 'closed', tests: [{ file: 'x/y.test.ts', name: 'reads `a`' }] });
  });

  it.each([
    ['a missing column', '| D1.01 | place | says | open |', 'row D1.01: 4 columns instead of 5'],
    ['a pipe that is not escaped', '| D1.01 | a | b | c | d | open |', 'row D1.01: 6 columns instead of 5'],
    ['an empty column', '| D1.01 | place |  | name | open |', 'row D1.01: the column "what it says" is empty'],
    ['a missing last pipe', '| D1.01 | place | says | name | open', 'row D1.01: the line does not end with'],
    ['a line of one pipe', '|', '"" is no row id'],
    ['an id of another form', rowOf('D1-01', 'open'), '"D1-01" is no row id'],
    ['n/a without a reason', rowOf('D1.01', 'n/a'), 'row D1.01: n/a needs a reason'],
    ['n/a with an empty reason', rowOf('D1.01', 'n/a: '), 'row D1.01: n/a needs a reason'],
    ['a test without a name', rowOf('D1.01', 'x/y.test.ts'), 'row D1.01: "x/y.test.ts" is neither open'],
    ['a second test without a name', rowOf('D1.01', `${PASSED}<br>later`), 'row D1.01: "later" is neither open'],
    ['a word that is no state', rowOf('D1.01', 'done'), 'row D1.01: "done" is neither open'],
    ['a row without its first pipe', 'D1.01 | place | says | name | open |', 'a row begins with "|"'],
  ])('complains about %s', (_, line, complaint) => {
    const document = ['## D: flow', '', ...HEAD, rowOf('D9.01', 'open'), line, ''].join('\n');
    const { problems, rows } = parseTable(document);
    expect(rows.map(({ id }) => id)).toEqual(['D9.01']);
    expect(problems).toEqual([expect.stringContaining(complaint)]);
  });

  it('complains about an id that stands twice', () => {
    const { problems, rows } = parseTable(documentOf(rowOf('D1.01', 'open'), rowOf('D1.01', 'n/a: again')));
    expect(problems).toEqual([expect.stringContaining('row D1.01: the id is used twice')]);
    expect(rows).toHaveLength(1);
  });

  it('complains about a row in a foreign section', () => {
    const document = ['## M: flow', '', ...HEAD, rowOf('D1.01', 'open')].join('\n');
    expect(parseTable(document).problems).toContainEqual(expect.stringContaining('row D1.01: stands in the section M'));
  });

  it('complains about other column names', () => {
    const document = ['## D: flow', '', '| id | test |', '|---|---|', rowOf('D1.01', 'open')].join('\n');
    expect(parseTable(document).problems).toEqual([
      expect.stringContaining('a table begins with the columns id, place'),
    ]);
  });

  it('complains about rows cut off from their table', () => {
    const document = ['## D: flow', '', ...HEAD, rowOf('D1.01', 'open'), '', rowOf('D1.02', 'open')].join('\n');
    expect(parseTable(document).problems).toEqual([expect.stringContaining('a table begins with the columns')]);
  });

  it('complains about a document without rows', () => {
    expect(parseTable('# Requirements\n').problems).toEqual(['there is no row at all']);
  });
});

describe('readResults', () => {
  it('names files from the root and tests by all their titles', () => {
    expect(resultsOf('passed')).toEqual(
      new Map([['packages/a/src/loop.test.ts', new Map([['loop > ends', 'passed']])]]),
    );
  });

  it.each([
    ['passed', 'failed', 'failed'],
    ['failed', 'passed', 'failed'],
    ['skipped', 'passed', 'passed'],
    ['passed', 'pending', 'passed'],
    ['todo', 'skipped', 'skipped'],
  ])('makes one outcome of a test that was %s and %s', (first, second, outcome) => {
    const titles = ['loop', 'ends'];
    const report = reportOf('a.test.ts', { titles, status: first }, { titles, status: second });
    expect(readResults(report, ROOT).get('a.test.ts')?.get('loop > ends')).toBe(outcome);
  });

  it.each([[null], [[]], [{}], [{ testResults: [{}] }], [{ testResults: [{ name: 'a', assertionResults: [{}] }] }]])(
    'refuses %j',
    (report) => {
      expect(() => readResults(report, ROOT)).toThrow(InputError);
    },
  );
});

describe('checkRequirements', () => {
  it('finds nothing wrong with open, n/a and proven rows', () => {
    const document = documentOf(rowOf('D1.01', 'open'), rowOf('D1.02', 'n/a: colours'), rowOf('D1.03', PASSED));
    expect(problemsOf(document, 'passed', ['D1.03'])).toEqual([]);
  });

  it('passes on what is wrong with the table', () => {
    expect(problemsOf(documentOf(rowOf('D1.01', 'done')))).toContainEqual(expect.stringContaining('row D1.01'));
  });

  it('complains about a test file that is not in the report', () => {
    const document = documentOf(rowOf('D1.01', 'packages/b/src/gone.test.ts > loop > ends'));
    expect(problemsOf(document)).toEqual(['row D1.01: the report has no file packages/b/src/gone.test.ts']);
  });

  it('complains about a test that is not in the report', () => {
    const document = documentOf(rowOf('D1.01', 'packages/a/src/loop.test.ts > loop > end'));
    expect(problemsOf(document)).toEqual([
      'row D1.01: the test "loop > end" in packages/a/src/loop.test.ts is not in the report',
    ]);
  });

  it('complains about a test that failed', () => {
    expect(problemsOf(documentOf(rowOf('D1.01', PASSED)), 'failed', ['D1.01'])).toEqual([
      'row D1.01: the test "loop > ends" in packages/a/src/loop.test.ts failed',
    ]);
  });

  it.each(['skipped', 'pending', 'todo'])('reports a row whose test was %s as not checked', (status) => {
    const table = parseTable(documentOf(rowOf('D1.01', PASSED), rowOf('D1.02', PASSED)));
    expect(checkRequirements(table, resultsOf(status), ['D1.01'])).toEqual({
      problems: [],
      newlyClosed: [],
      notChecked: ['D1.01', 'D1.02'],
    });
  });

  it('reports a row with a passed and a skipped test as not checked, with a failed one as failed', () => {
    const tests = ['passed', 'skipped', 'failed'].map((status) => ({ titles: [status], status }));
    const results = readResults(reportOf('a.test.ts', ...tests), ROOT);
    const table = parseTable(
      documentOf(
        rowOf('D1.01', 'a.test.ts > passed<br>a.test.ts > skipped'),
        rowOf('D1.02', 'a.test.ts > skipped<br>a.test.ts > failed'),
      ),
    );
    expect(checkRequirements(table, results, [])).toEqual({
      problems: ['row D1.02: the test "failed" in a.test.ts failed'],
      newlyClosed: [],
      notChecked: ['D1.01'],
    });
  });

  it('needs every test of a row', () => {
    const document = documentOf(rowOf('D1.01', `${PASSED}<br>packages/a/src/loop.test.ts > other`));
    const { problems, newlyClosed } = checkRequirements(parseTable(document), resultsOf('passed'), []);
    expect(problems).toEqual([expect.stringContaining('"other"')]);
    expect(newlyClosed).toEqual([]);
  });

  it.each([
    ['open', 'open'],
    ['n/a: lost interest', 'n/a'],
  ])('complains about a closed row that says %s', (test, kind) => {
    expect(problemsOf(documentOf(rowOf('D1.01', test)), 'passed', ['D1.01'])).toEqual([
      `row D1.01: was closed and is now ${kind}`,
    ]);
  });

  it('complains about a closed row that is gone', () => {
    expect(problemsOf(documentOf(rowOf('D1.01', 'open')), 'passed', ['D1.02'])).toEqual([
      'row D1.02: was closed and has no readable row any more',
    ]);
  });

  it('names the rows that are proven and not in the list', () => {
    const document = documentOf(rowOf('D1.01', PASSED), rowOf('D1.02', PASSED));
    expect(checkRequirements(parseTable(document), resultsOf('passed'), ['D1.01']).newlyClosed).toEqual(['D1.02']);
  });
});

describe('the list of closed rows', () => {
  it('is sorted by number, keeps its comment, loses nothing and repeats nothing', () => {
    const list = parseClosedList('# kept\nM1.01\nD10.01\n\nD2.10\n');
    expect(list.problems).toEqual([]);
    expect(extendClosedList(list, ['D2.09', 'D2.10'])).toBe('# kept\nD2.09\nD2.10\nD10.01\nM1.01\n');
  });

  it('complains about a line that is no id', () => {
    expect(parseClosedList('D1.1\n').problems).toEqual([expect.stringContaining('"D1.1"')]);
  });
});

describe('countRows', () => {
  it('counts by section and in total', () => {
    const table = parseTable(
      documentOf(rowOf('D1.01', 'open'), rowOf('D1.02', 'n/a: colours'), rowOf('C1.01', PASSED)),
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
    write('docs/requirements.md', documentOf(rowOf('D1.01', PASSED), rowOf('D1.02', 'open')));
    write('docs/requirements.closed.txt', '# kept\n');
    const assertionResults = [{ ancestorTitles: ['loop'], title: 'ends', status: 'passed' }];
    write('report.json', { testResults: [{ name: join(root, 'packages/a/src/loop.test.ts'), assertionResults }] });
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function write(path: string, content: unknown): void {
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }

  function run(...more: string[]): number {
    return main(['--report', join(root, 'report.json'), ...more], root, output);
  }

  function closedList(): string {
    return readFileSync(join(root, 'docs/requirements.closed.txt'), 'utf8');
  }

  it('fails on a newly closed row and says how to accept it', () => {
    expect(run()).toBe(1);
    expect(errors).toEqual(['row D1.01: is newly closed; run `npm run requirements -- --accept`']);
    expect(closedList()).toBe('# kept\n');
  });

  it('accepts a newly closed row once and is content from then on', () => {
    expect(run('--accept')).toBe(0);
    expect(closedList()).toBe('# kept\nD1.01\n');
    expect(run()).toBe(0);
    expect(errors).toEqual([]);
    expect(log.at(-1)).toMatch(/^total\s+2\s+1\s+0\s+1$/);
  });

  it('does not fail on a skipped test, nor accept its row', () => {
    const assertionResults = [{ ancestorTitles: ['loop'], title: 'ends', status: 'skipped' }];
    write('report.json', { testResults: [{ name: join(root, 'packages/a/src/loop.test.ts'), assertionResults }] });
    expect(run('--accept')).toBe(0);
    expect(log.at(-1)).toBe('not checked (skipped): 1 rows: D1.01');
    expect(closedList()).toBe('# kept\n');
    expect(errors).toEqual([]);
  });

  it('never takes an id out of the list, nor accepts what is not proven', () => {
    write('docs/requirements.closed.txt', '# kept\nD7.01\n');
    write('report.json', { testResults: [] });
    expect(run('--accept')).toBe(1);
    expect(closedList()).toBe('# kept\nD7.01\n');
    expect(errors).toHaveLength(2);
  });

  it('leaves a list alone that holds a line it cannot read', () => {
    write('docs/requirements.closed.txt', 'D1.1\n');
    expect(run('--accept')).toBe(1);
    expect(closedList()).toBe('D1.1\n');
  });

  it.each([
    ['a missing report', (): void => rmSync(join(root, 'report.json')), 'cannot read'],
    ['a report that is no JSON', (): void => write('report.json', '{\n'), 'is not JSON'],
    ['a report of another kind', (): void => write('report.json', '[]'), 'not a vitest JSON report'],
    ['a missing table', (): void => rmSync(join(root, 'docs/requirements.md')), 'cannot read'],
    ['a missing list', (): void => rmSync(join(root, 'docs/requirements.closed.txt')), 'cannot read'],
  ])('says in one line what is wrong with %s', (_, spoil, complaint) => {
    spoil();
    expect(run()).toBe(1);
    expect(errors).toEqual([expect.stringContaining(complaint)]);
    expect(errors[0]).not.toContain('\n');
    expect(log).toEqual([]);
  });

  it.each([
    ['no report', [], '--report'],
    ['an unknown flag', ['--report', 'x', '--remove'], '--remove'],
  ])('says in one line what is wrong with %s', (_, args, complaint) => {
    expect(main(args, root, output)).toBe(1);
    expect(errors).toEqual([expect.stringContaining(complaint)]);
  });
});

describe('the committed requirements', () => {
  const docs = resolve(import.meta.dirname, '../docs');

  it('can be read without complaint', () => {
    const table = parseTable(readFileSync(join(docs, 'requirements.md'), 'utf8'));
    expect(table.problems).toEqual([]);
    expect(table.sections.map(({ letter }) => letter)).toEqual(['D', 'M', 'C']);
  });

  it('have a readable, sorted list of closed rows', () => {
    const text = readFileSync(join(docs, 'requirements.closed.txt'), 'utf8');
    const list = parseClosedList(text);
    expect(list.problems).toEqual([]);
    expect(extendClosedList(list, [])).toBe(text.replaceAll('\r\n', '\n'));
  });
});

/**
 * The changes of a migration that would break an older version writing to the same tables; empty if it only adds.
 * Tables created by the migration itself are exempt.
 */
export function breakingChanges(statements: readonly string[]): string[] {
  const created = new Set(
    statements.flatMap((statement) => /^CREATE .*?TABLE (\w+)/i.exec(plain(statement))?.[1] ?? []),
  );
  return statements.flatMap((statement) => {
    const text = plain(statement);
    const table = /^(?:ALTER TABLE|DROP TABLE(?: IF EXISTS)?|CREATE UNIQUE INDEX \w+ ON)(?: ONLY)? (\w+)/i.exec(
      text,
    )?.[1];
    if (table !== undefined && created.has(table)) return [];
    if (/^CREATE OR REPLACE FUNCTION/i.test(text)) return [];
    if (
      /^CREATE TRIGGER \w+ AFTER/i.test(text) &&
      tablesWrittenBy(text, statements).every((name) => created.has(name))
    ) {
      return [];
    }
    const problem = findProblem(text);
    return problem === null ? [] : [`${problem}: ${text.slice(0, 100)}`];
  });
}

/** The tables a trigger writes, directly or in its function. */
function tablesWrittenBy(trigger: string, statements: readonly string[]): string[] {
  const called = /EXECUTE FUNCTION (\w+)/i.exec(trigger)?.[1];
  const body =
    called === undefined
      ? trigger.replace(/^.*? BEGIN /i, '')
      : plain(statements.find((statement) => statement.includes(`REPLACE FUNCTION ${called}()`)) ?? 'UPDATE unknown');
  return [...body.matchAll(/\b(?:INSERT INTO|UPDATE|DELETE FROM) (?!SET\b)(\w+)/gi)].map((match) => match[1] ?? '');
}

function findProblem(text: string): string | null {
  if (/^CREATE UNIQUE INDEX/i.test(text)) return 'older versions may store what this index forbids';
  if (/^CREATE TRIGGER/i.test(text) && !/^CREATE TRIGGER \w+ AFTER DELETE/i.test(text)) {
    return 'older versions do not reckon with a trigger';
  }
  if (
    /^(?:CREATE (?:UNLOGGED |VIRTUAL )?TABLE|CREATE INDEX|CREATE TRIGGER|DROP INDEX|INSERT INTO|UPDATE) /i.test(text)
  ) {
    return null;
  }
  const added = /^ALTER TABLE \w+ ADD (?:COLUMN )?(?:IF NOT EXISTS )?\w+ (.*)$/i.exec(text)?.[1];
  if (added === undefined || /^ALTER TABLE \w+ ADD (?:CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN)/i.test(text)) {
    return 'it takes away, renames or forbids something';
  }
  if (/ NOT NULL/i.test(` ${added}`) && !/ DEFAULT /i.test(added)) return 'older versions do not fill this column';
  if (/ (?:UNIQUE|CHECK)\b/i.test(` ${added}`)) return 'older versions may store what this forbids';
  return null;
}

function plain(statement: string): string {
  return statement.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim();
}

import { diffLines } from 'diff';

/** `skipped`: unchanged lines that are not shown. */
type DiffLine = { kind: 'same' | 'added' | 'removed'; text: string } | { kind: 'skipped'; count: number };
export type TextDiff = { lines: DiffLine[]; added: number; removed: number };

/** Unchanged lines shown around a change. */
const CONTEXT = 3;
const TIMEOUT_MS = 1_500;

/** Limits of {@link lineDiff}, which other work waits for: milliseconds, and characters of the result. */
const LINE_DIFF_MS = 100;
const MAX_LENGTH = 20_000;

/** Line by line; null if the texts are too different and long to compare within `timeoutMs`. */
export function compareTexts(before: string, after: string, timeoutMs = TIMEOUT_MS): TextDiff | null {
  const changes = diffLines(ended(before), ended(after), { timeout: timeoutMs });
  return changes === undefined ? null : toDiff(changes);
}

/**
 * The changed lines between two texts as text: `- ` before removed lines, `+ ` before added ones. Texts that take too long
 * to compare differ in everything between their first and their last difference.
 */
export function lineDiff(before: string, after: string): string {
  const { lines } = compareTexts(before, after, LINE_DIFF_MS) ?? compareEnds(ended(before), ended(after));
  const marks = { same: '  ', added: '+ ', removed: '- ' };
  const written = lines.map((line) =>
    line.kind === 'skipped' ? `  [${line.count} unchanged lines]` : marks[line.kind] + line.text,
  );
  const text = written.join('\n');
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}\n  [cut: ${written.length} lines]`;
}

function compareEnds(before: string, after: string): TextDiff {
  const [old, now] = [splitLines(before), splitLines(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  const change = (value: string, kind: 'added' | 'removed' | 'same'): Change => ({
    value,
    added: kind === 'added',
    removed: kind === 'removed',
  });
  return toDiff(
    [
      change(joined(old.slice(0, start)), 'same'),
      change(joined(old.slice(start, old.length - end)), 'removed'),
      change(joined(now.slice(start, now.length - end)), 'added'),
      change(joined(old.slice(old.length - end)), 'same'),
    ].filter(({ value }) => value !== ''),
  );
}

type Change = { value: string; added: boolean; removed: boolean };

function toDiff(changes: readonly Change[]): TextDiff {
  const lines: DiffLine[] = [];
  let added = 0;
  let removed = 0;
  for (const [index, change] of changes.entries()) {
    const texts = splitLines(change.value);
    if (change.added) added += texts.length;
    if (change.removed) removed += texts.length;
    if (change.added || change.removed) {
      for (const text of texts) lines.push({ kind: change.added ? 'added' : 'removed', text });
    } else lines.push(...fold(texts, index === 0 ? 0 : CONTEXT, index === changes.length - 1 ? 0 : CONTEXT));
  }
  return { lines, added, removed };
}

function splitLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** Otherwise the last line would count as changed if only the other text continues. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function fold(texts: readonly string[], first: number, last: number): DiffLine[] {
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  const count = texts.length - first - last;
  if (count <= 1) return texts.map(same);
  const end = texts.slice(texts.length - last);
  return [...texts.slice(0, first).map(same), { kind: 'skipped', count }, ...end.map(same)];
}

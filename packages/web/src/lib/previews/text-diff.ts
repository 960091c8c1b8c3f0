import { diffLines } from 'diff';

/** `skipped`: unchanged lines that are not shown. */
type DiffLine = { kind: 'same' | 'added' | 'removed'; text: string } | { kind: 'skipped'; count: number };
export type TextDiff = { lines: DiffLine[]; added: number; removed: number };

/** Unchanged lines shown around a change. */
const CONTEXT = 3;
const TIMEOUT_MS = 1_500;

/** Line by line; null if the texts are too different and long to compare within a moment. */
export function compareTexts(before: string, after: string): TextDiff | null {
  const changes = diffLines(ended(before), ended(after), { timeout: TIMEOUT_MS });
  if (changes === undefined) return null;
  const lines: DiffLine[] = [];
  let added = 0;
  let removed = 0;
  for (const [index, change] of changes.entries()) {
    const texts = change.value.replace(/\n$/, '').split('\n');
    if (change.added) added += texts.length;
    if (change.removed) removed += texts.length;
    if (change.added || change.removed) {
      for (const text of texts) lines.push({ kind: change.added ? 'added' : 'removed', text });
    } else lines.push(...fold(texts, index === 0 ? 0 : CONTEXT, index === changes.length - 1 ? 0 : CONTEXT));
  }
  return { lines, added, removed };
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

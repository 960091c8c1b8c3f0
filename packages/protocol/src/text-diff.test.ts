import { describe, expect, test } from 'vitest';
import { compareTexts, lineDiff } from './text-diff.ts';

describe('changes between versions', () => {
  test('are lines, with three unchanged ones around them', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${String(index)}`);
    const diff = compareTexts(lines.join('\n'), lines.with(10, 'changed').join('\n'));
    expect(diff).toMatchObject({ added: 1, removed: 1 });
    expect(diff?.lines.map((line) => (line.kind === 'skipped' ? line.count : `${line.kind} ${line.text}`))).toEqual([
      7,
      ...['same line 7', 'same line 8', 'same line 9', 'removed line 10', 'added changed'],
      ...['same line 11', 'same line 12', 'same line 13'],
      6,
    ]);
  });

  test('do not include the end of the last line', () => {
    expect(compareTexts('a\nb', 'a\nb\nc')).toMatchObject({ added: 1, removed: 0 });
    expect(compareTexts('a', 'a\n')).toMatchObject({ added: 0, removed: 0 });
  });
});

describe('a diff as text', () => {
  test('has the changed lines with some context', () => {
    expect(lineDiff('a\nb\nc\n', 'a\nx\nc\n')).toBe('  a\n- b\n+ x\n  c');
    expect(lineDiff('', 'one\ntwo')).toBe('+ one\n+ two');
    expect(lineDiff('one\n', '')).toBe('- one');
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const changed = lines.with(2, 'x').with(17, 'y').join('\n');
    expect(lineDiff(lines.join('\n'), changed)).toContain('  line 5\n  [8 unchanged lines]\n  line 14');
  });

  test('of texts that take too long to compare has everything between the first and the last difference', () => {
    const text = (seed: number) =>
      Array.from({ length: 60_000 }, (_, at) => `${(at * seed) % 50_021} ${seed}`).join('\n');
    const diff = lineDiff(`first\n${text(7)}\nlast`, `first\n${text(11)}\nlast`);
    expect(diff).toMatch(/^ {2}first\n- 0 7\n- 7 7/);
    expect(diff).toMatch(/\[cut: 120\d\d\d lines\]$/);
    expect(diff.length).toBeLessThan(20_100);
  });
});

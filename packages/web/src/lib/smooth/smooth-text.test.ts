import { fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import type { Frames } from './smooth-text.ts';
import { SmoothText } from './smooth-text.ts';

/** Frames that a test triggers one by one. */
function manualFrames(): Frames & { draw(ms?: number): void; still: boolean; readonly waiting: boolean } {
  let at = 1000;
  let pending: ((at: number) => void) | null = null;
  return {
    still: false,
    moves() {
      return !this.still;
    },
    next(callback) {
      pending = callback;
      return () => (pending = null);
    },
    get waiting() {
      return pending !== null;
    },
    draw(ms = 16) {
      at += ms;
      const callback = pending;
      pending = null;
      callback?.(at);
    },
  };
}

function follow(begun = '') {
  const frames = manualFrames();
  const shown: string[] = [begun];
  const smooth = new SmoothText(frames, begun, (text) => shown.push(text));
  return { frames, smooth, shown, now: () => shown.at(-1) ?? '' };
}

const long = 'The quick brown fox jumps over the lazy dog. '.repeat(10);
const letters = (text: string): string[] =>
  Array.from(new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text), ({ segment }) => segment);

describe('streamed text', () => {
  test('starts at once and continues with a few letters per frame, always a prefix of the whole', () => {
    const { frames, smooth, shown, now } = follow();
    smooth.follow('Well', true);
    expect(now()).toBe('Well');
    smooth.follow(`Well, ${long}`, true);
    expect(now()).toBe('Well');
    for (let frame = 0; frame < 5; frame++) frames.draw();
    const lengths = shown.map((text) => text.length);
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    expect(new Set(lengths).size).toBeGreaterThan(5);
    for (const text of shown) expect(`Well, ${long}`.startsWith(text)).toBe(true);
  });

  test('catches up: nearly complete 250 ms after the last chunk, complete soon after', () => {
    const { frames, smooth, now } = follow('Well');
    smooth.follow(`Well${long}`, true);
    for (let passed = 0; passed < 250; passed += 16) frames.draw();
    expect(now().length).toBeGreaterThan(0.9 * long.length);
    for (let passed = 0; passed < 500; passed += 16) frames.draw();
    expect(now()).toBe(`Well${long}`);
    expect(frames.waiting).toBe(false);
  });

  test('is complete at once when it ends, is replaced, or with reduced motion', () => {
    const ended = follow('a');
    ended.smooth.follow(`a${long}`, true);
    ended.smooth.follow(`a${long}.`, false);
    expect(ended.now()).toBe(`a${long}.`);
    expect(ended.frames.waiting).toBe(false);

    const replaced = follow('abc');
    replaced.smooth.follow('another text', true);
    expect(replaced.now()).toBe('another text');

    const still = follow('a');
    still.frames.still = true;
    still.smooth.follow(`a${long}`, true);
    expect(still.now()).toBe(`a${long}`);
    expect(still.frames.waiting).toBe(false);
  });

  test('catches up in a tab that was hidden meanwhile, with the next frame or chunk', () => {
    const { frames, smooth, now } = follow('a');
    smooth.follow(`a${long}`, true);
    frames.draw();
    frames.still = true;
    smooth.follow(`a${long}more`, true);
    expect(now()).toBe(`a${long}more`);
  });

  test('requests no frame when idle, and none after it was stopped', () => {
    const { frames, smooth, shown } = follow('a');
    smooth.follow('a', true);
    expect(frames.waiting).toBe(false);
    smooth.follow(`a${long}`, true);
    smooth.stop();
    frames.draw();
    expect(shown).toEqual(['a']);
  });

  test('does not jump after a late frame', () => {
    const { frames, smooth, now } = follow('a');
    smooth.follow(`a${long}`, true);
    frames.draw();
    frames.draw(3000);
    expect(now().length).toBeLessThan(0.8 * long.length);
  });
});

describe('graphemes', () => {
  const family = '👨‍👩‍👧‍👦';

  test('are never split, whatever they consist of', () => {
    const letter = fc.constantFrom('a', ' ', '世', 'é', 'e\u0301', family, '👍🏽', '🇩🇪', '🏳️‍🌈', 'क्षि', '\r\n', '🙂');
    fc.assert(
      fc.property(fc.array(letter, { minLength: 1, maxLength: 60 }), (written) => {
        const whole = `>${written.join('')}`;
        const ends = new Set<number>();
        let at = 0;
        for (const each of letters(whole)) ends.add((at += each.length));
        const { frames, smooth, shown } = follow('>');
        smooth.follow(whole, true);
        for (let frame = 0; frame < 100 && frames.waiting; frame++) frames.draw();
        for (const text of shown) expect([text, ends.has(text.length)]).toEqual([text, true]);
        expect(shown.at(-1)).toBe(whole);
      }),
    );
  });

  test('that arrive in two chunks do not flash in between', () => {
    const { frames, smooth, shown, now } = follow('a');
    smooth.follow('a👨\u200d', true);
    frames.draw();
    frames.draw();
    smooth.follow(`a${family}`, true);
    for (let frame = 0; frame < 20; frame++) frames.draw();
    expect(shown.filter((text) => text !== 'a')).toEqual([`a${family}`]);
    expect(now()).toBe(`a${family}`);
  });

  test('are shown at the end even if nothing follows them', () => {
    const { frames, smooth, now } = follow('a');
    smooth.follow('a🙂', true);
    frames.draw();
    expect(now()).toBe('a');
    for (let frame = 0; frame < 10; frame++) frames.draw();
    expect(now()).toBe('a🙂');
  });
});

import { PassThrough } from 'node:stream';
import type { Clock } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { createFakeClock, eventually } from '@toolyard/testing';
import { fc } from '@toolyard/testing/property';
import { expect, test } from 'vitest';
import { LINES_PER_TURN } from '../transports/pacing.ts';
import { LineReader, readPaced } from './line-reader.ts';

test('yields whole lines wherever the stream is split, also inside a character', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ''));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(30)), fc.constantFrom('\n', '\r\n'), (lines, cuts, end) => {
      const bytes = Buffer.from(lines.map((each) => each + end).join('') + 'rest');
      const reader = new LineReader(1_000_000);
      const read: string[] = [];
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        read.push(...(reader.push(bytes.subarray(at, at + cut)) ?? []));
        at += cut;
      }
      expect(read).toEqual(lines);
      expect(reader.rest()).toBe('rest');
    }),
  );
});

test('rejects a line over the limit, but not many short ones', () => {
  const reader = new LineReader(10);
  expect(reader.push(Buffer.from('short\n'.repeat(100)))).toHaveLength(100);
  expect(reader.push(Buffer.from('01234'))).toEqual([]);
  expect(reader.push(Buffer.from('56789!'))).toBeNull();
});

test.each([1, LINES_PER_TURN, LINES_PER_TURN + 1, 5_000])(
  'a pipe with a flood of %d lines at once lets everything else have its turn, and is read whole',
  async (count) => {
    const lines: string[] = [];
    const perTurn: number[] = [];
    const clock: Clock = {
      ...systemClock,
      after: (_ms, run) => (perTurn.push(lines.length), systemClock.after(0, run)),
    };
    const reader = new LineReader(1_000_000);
    const pipe = new PassThrough({ highWaterMark: 1_000_000 });
    readPaced(
      pipe,
      (chunk) => reader.push(chunk) ?? [],
      (line) => lines.push(line),
      clock,
    );
    const sent = Array.from({ length: count }, (_, at) => String(at));
    pipe.write(`${sent.join('\n')}\n`);
    await eventually(() => lines.length === count, { what: 'all lines' });
    expect(lines).toEqual(sent);
    const rests = Math.ceil(count / LINES_PER_TURN) - 1;
    expect(perTurn).toEqual(Array.from({ length: rests }, (_, at) => (at + 1) * LINES_PER_TURN));
  },
);

test('a pipe that ends is read whole at once: its last lines explain the exit', async () => {
  const lines: string[] = [];
  const reader = new LineReader(1_000_000);
  const pipe = new PassThrough({ highWaterMark: 1_000_000 });
  readPaced(
    pipe,
    (chunk) => reader.push(chunk) ?? [],
    (line) => lines.push(line),
    createFakeClock(),
  );
  pipe.end('line\n'.repeat(5_000));
  await new Promise((resolve) => pipe.once('end', resolve));
  expect(lines).toHaveLength(5_000);
});

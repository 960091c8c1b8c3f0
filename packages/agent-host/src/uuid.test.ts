import { describe, expect, it } from 'vitest';
import { createUuidSource } from './uuid.ts';

describe('createUuidSource', () => {
  it('makes ids that are UUIDv7 and sort by the order they were made in, also within one millisecond', () => {
    let now = 1_700_000_000_000;
    const ids = createUuidSource({ now: () => now });
    const made: string[] = [];
    for (let i = 0; i < 20_000; i++) {
      if (i % 7_000 === 0) now += 1;
      made.push(ids.next());
    }
    expect(new Set(made).size).toBe(made.length);
    expect([...made].sort()).toEqual(made);
    for (const id of made.slice(0, 100)) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  it('goes on forwards when the clock jumps back', () => {
    let now = 2_000_000_000_000;
    const ids = createUuidSource({ now: () => now });
    const before = ids.next();
    now -= 60_000;
    expect(ids.next() > before).toBe(true);
  });
});

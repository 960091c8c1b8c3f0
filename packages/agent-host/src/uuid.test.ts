import { describe, expect, it } from 'vitest';
import { createUuidSource } from './uuid.ts';

describe('createUuidSource', () => {
  it('creates UUIDv7s that sort by creation order, also within one millisecond', () => {
    let now = 1_700_000_000_000;
    const ids = createUuidSource({ now: () => now });
    const created: string[] = [];
    for (let i = 0; i < 20_000; i++) {
      if (i % 7_000 === 0) now += 1;
      created.push(ids.next());
    }
    expect(new Set(created).size).toBe(created.length);
    expect([...created].sort()).toEqual(created);
    for (const id of created.slice(0, 100)) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  it('stays monotonic if the clock is set back', () => {
    let now = 2_000_000_000_000;
    const ids = createUuidSource({ now: () => now });
    const before = ids.next();
    now -= 60_000;
    expect(ids.next() > before).toBe(true);
  });
});

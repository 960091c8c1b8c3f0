import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { browserValue, browserValueFamily } from './browser-storage.ts';

class FakeStorage {
  readonly items = new Map<string, string>();
  full = false;
  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    if (this.full) throw new DOMException('full', 'QuotaExceededError');
    this.items.set(key, value);
  }
  removeItem(key: string): void {
    this.items.delete(key);
  }
}

let local: FakeStorage;

beforeEach(() => {
  local = new FakeStorage();
  vi.stubGlobal('localStorage', local);
});

const isNumber = (value: unknown) => (typeof value === 'number' ? value : undefined);
const size = { version: 1, read: isNumber, fallback: 15 };

describe('browser storage', () => {
  it('returns the stored value, under a key that contains its version', () => {
    browserValue('size', size).set(17);
    expect(browserValue('size', size).get()).toBe(17);
    expect([...local.items.keys()]).toEqual(['toolyard:size:1']);
  });

  it('returns the fallback if the value is missing or invalid', () => {
    expect(browserValue('size', size).get()).toBe(15);
    local.items.set('toolyard:size:1', '"large"');
    expect(browserValue('size', size).get()).toBe(15);
    local.items.set('toolyard:size:1', '{broken');
    expect(browserValue('size', size).get()).toBe(15);
  });

  it('does not store the fallback, so that a later default applies', () => {
    const kept = browserValue('size', size);
    kept.set(17);
    kept.set(15);
    expect(local.items.size).toBe(0);
  });

  it('migrates a value from an older version, step by step and once', () => {
    local.items.set('toolyard:size:1', '3');
    const migrations = {
      1: (old: unknown) => `size-${String(old)}`,
      2: (old: unknown) => Number(String(old).slice(5)) * 10,
    };
    const newest = browserValue('size', { ...size, version: 3, migrations });
    expect(newest.get()).toBe(30);
    expect([...local.items]).toEqual([['toolyard:size:3', '30']]);
  });

  it('keeps the page working if the browser stores nothing', () => {
    local.full = true;
    browserValue('size', size).set(17);
    expect(browserValue('size', size).get()).toBe(15);
    vi.stubGlobal('localStorage', undefined);
    vi.stubGlobal('localStorage', null);
    expect(browserValue('size', size).get()).toBe(15);
  });
});

describe('browser storage with one value per id', () => {
  const drafts = {
    version: 1,
    read: (value: unknown) => (typeof value === 'string' ? value : undefined),
    fallback: '',
  };

  it('keeps values apart and deletes empty ones', () => {
    const family = browserValueFamily('drafts', { ...drafts, keep: 5 });
    family.set('a', 'one');
    family.set('b', 'two');
    family.set('a', '');
    expect([family.get('a'), family.get('b')]).toEqual(['', 'two']);
    expect(local.items.get('toolyard:drafts:1')).toBe('{"b":"two"}');
  });

  it('deletes the oldest values beyond its limit', () => {
    const family = browserValueFamily('drafts', { ...drafts, keep: 2 });
    for (const id of ['a', 'b', 'c']) family.set(id, id);
    family.set('b', 'again');
    family.set('d', 'd');
    expect(['a', 'b', 'c', 'd'].map((id) => family.get(id))).toEqual(['', 'again', '', 'd']);
  });
});

it('is the only module of the page that uses localStorage and sessionStorage', () => {
  const sources = join(import.meta.dirname, '..');
  const others = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    // The documents in frames are not the page: their storage is replaced by one that ends with the frame.
    .filter((path) => !path.startsWith('frames'))
    .filter((path) => /\.(ts|svelte)$/.test(path) && !/test-fixtures\/|(browser-storage|\.test)\.ts$/.test(path))
    .filter((path) => /\b(localStorage|sessionStorage|indexedDB)\b/.test(readFileSync(join(sources, path), 'utf8')));
  expect(others).toEqual([]);
});

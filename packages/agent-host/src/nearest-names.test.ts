import { describe, expect, it } from 'vitest';
import { nearestNames } from './nearest-names.ts';

describe('nearestNames', () => {
  const names = ['get-date', 'read_file', 'write_file', 'search', '查天氣'];

  it('finds a name written another way', () => {
    expect(nearestNames('getDate', names)[0]).toBe('get-date');
    expect(nearestNames('file_read', names)[0]).toBe('read_file');
    expect(nearestNames('查詢天氣', names)).toContain('查天氣');
  });

  it('offers nothing where nothing is like it', () => {
    expect(nearestNames('zzz', names)).toEqual([]);
    expect(nearestNames('', names)).toEqual([]);
  });
});

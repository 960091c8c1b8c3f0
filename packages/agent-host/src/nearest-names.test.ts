import { describe, expect, it } from 'vitest';
import { nearestNames } from './nearest-names.ts';

describe('nearestNames', () => {
  const names = ['get-date', 'read_file', 'write_file', 'search', '查天氣'];

  it('finds a name in another spelling', () => {
    expect(nearestNames('getDate', names)[0]).toBe('get-date');
    expect(nearestNames('file_read', names)[0]).toBe('read_file');
    expect(nearestNames('查詢天氣', names)).toContain('查天氣');
  });

  it('returns nothing without a similar name', () => {
    expect(nearestNames('zzz', names)).toEqual([]);
    expect(nearestNames('', names)).toEqual([]);
  });
});

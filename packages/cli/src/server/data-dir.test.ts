import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dataDirFrom } from './data-dir.ts';

const USUAL = join(homedir(), '.local', 'share', 'toolyard');

it('is the flag, else the variable, else the usual folder', () => {
  expect(dataDirFrom('/a', { TOOLYARD_DATA_DIR: '/b' }, 'linux')).toBe('/a');
  expect(dataDirFrom(undefined, { TOOLYARD_DATA_DIR: '/b' }, 'linux')).toBe('/b');
  expect(dataDirFrom(undefined, { XDG_DATA_HOME: '/c' }, 'linux')).toBe('/c/toolyard');
  expect(dataDirFrom(undefined, {}, 'linux')).toBe(USUAL);
});

it('is never the working folder because something is empty', () => {
  expect(dataDirFrom(undefined, { TOOLYARD_DATA_DIR: '', XDG_DATA_HOME: '' }, 'linux')).toBe(USUAL);
  expect(dataDirFrom(undefined, { XDG_DATA_HOME: 'relative' }, 'linux')).toBe(USUAL);
  expect(() => dataDirFrom('', { TOOLYARD_DATA_DIR: '/b' })).toThrow('--data-dir is empty');
});

import { expect, it } from 'vitest';
import { dataDirFrom } from './data-dir.ts';

const USUAL = '/home/ann/.local/share/toolyard';

function dataDir(flag: string | undefined, env: NodeJS.ProcessEnv): string {
  return dataDirFrom(flag, { env: { HOME: '/home/ann', ...env }, cwd: '/project' }, 'linux');
}

it('is the flag, the variable, or the default folder', () => {
  expect(dataDir('/a', { TOOLYARD_DATA_DIR: '/b' })).toBe('/a');
  expect(dataDir(undefined, { TOOLYARD_DATA_DIR: '/b' })).toBe('/b');
  expect(dataDir(undefined, { XDG_DATA_HOME: '/c' })).toBe('/c/toolyard');
  expect(dataDir(undefined, {})).toBe(USUAL);
});

it('resolves a relative folder against the working folder', () => {
  expect(dataDir('a', {})).toBe('/project/a');
  expect(dataDir(undefined, { TOOLYARD_DATA_DIR: 'b' })).toBe('/project/b');
});

it('is never the working folder because of an empty value', () => {
  expect(dataDir(undefined, { TOOLYARD_DATA_DIR: '', XDG_DATA_HOME: '' })).toBe(USUAL);
  expect(dataDir(undefined, { XDG_DATA_HOME: 'relative' })).toBe(USUAL);
  expect(() => dataDir('', { TOOLYARD_DATA_DIR: '/b' })).toThrow('--data-dir is empty');
});

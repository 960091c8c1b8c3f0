import { StorageError } from '@toolyard/storage';
import { expect, test } from 'vitest';
import { createLogOnce } from './log-once.ts';

const createUnreachableError = (how: string): StorageError =>
  new StorageError('unreachable', { message: `The database cannot be reached: ${how}.` });

test('logs a repeated failure once, database errors by code, and again after a success', () => {
  const log: string[] = [];
  const logFailures = createLogOnce((line) => log.push(line));
  for (const how of ['reset', 'refused', 'reset']) logFailures.failed('runs', createUnreachableError(how));
  logFailures.failed('runs', new StorageError('disk_full', { message: 'There is no room left.' }));
  logFailures.worked();
  logFailures.failed('runs', createUnreachableError('reset'));
  expect(log).toEqual([
    'runs: The database cannot be reached: reset.',
    'runs: There is no room left.',
    'runs: The database cannot be reached: reset.',
  ]);
});

import { expect, test } from 'vitest';
import * as root from './index.ts';

test('exports exactly the public API', () => {
  expect(Object.keys(root).sort()).toEqual([
    'DATABASE_FILE',
    'DATABASE_FILES',
    'FINGERPRINT_FILE',
    'KEY_FILE',
    'MAX_INLINE_BYTES',
    'SALT_FILE',
    'StorageError',
    'backupFolder',
    'checkDatabaseAt',
    'checkStorage',
    'copyStorage',
    'makePrivate',
    'mediaToBlobs',
    'openStorage',
    'readS3Settings',
    'readSetting',
    'scrubText',
    'textsToFiles',
  ]);
});

import { createFakeClock } from '@toolyard/testing';
import { openStorage } from '../open-storage.ts';
import { describeRepositories } from '../test-fixtures/repositories/describe-repositories.ts';
import { temporaryFolder } from '../test-fixtures/sqlite-engine.ts';

describeRepositories('on SQLite', async () => {
  const folder = temporaryFolder();
  return {
    open: () => openStorage({ folder: folder.path, clock: createFakeClock() }),
    remove: async () => folder.remove(),
  };
});

import { describeCopies, testKilledCopies } from '../test-fixtures/copies.ts';

describeCopies('a copy from a data folder to PostgreSQL and back', (stage) => {
  testKilledCopies(stage, [
    ['copy:written', 2],
    ['copy:committed', 3],
    ['copy:committed', 9],
    ['copy:written', 18],
  ]);
});

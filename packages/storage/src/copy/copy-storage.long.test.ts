import { describeCopies, testKilledCopies } from '../test-fixtures/copies.ts';

describeCopies('copy between a data folder and PostgreSQL', (stage) => {
  testKilledCopies(stage, [
    ['copy:written', 2],
    ['copy:committed', 3],
    ['copy:committed', 9],
    ['copy:written', 18],
  ]);
});

import { expect, test } from 'vitest';
import { describeLocations } from './locations/describe-locations.ts';
import { ROWS_OF_SERVER_RUNS, rowsOfTable, SCENARIOS_OF_ROW, VARIANTS } from './locations/rows.ts';

test('every row of the decision table of the loop has a scenario', () => {
  expect([...Object.keys(SCENARIOS_OF_ROW), ...ROWS_OF_SERVER_RUNS].toSorted()).toEqual(rowsOfTable().toSorted());
});

/**
 * Where a tab has code of its own: streams, several calls, interrupts, steering, continuing. Stopping and reconnecting
 * are in `page-tab-runs.test.ts` and `page-tab-tools.test.ts`.
 */
const IN_TAB = new Set([
  'the model calls several tools',
  'the model asks for a choice',
  'steered during a call',
  'continues after a lost connection',
]);

// All scenarios run in all locations in `three-locations.long.test.ts`.
describeLocations({
  isIncluded: (scenario) => IN_TAB.has(scenario) || !VARIANTS.has(scenario),
  inTab: (scenario) => IN_TAB.has(scenario),
});

import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { buildPage } from './build-page.ts';
import { inject, restoreSource } from './faults/inject.ts';
import type { Fault, FaultKind } from './faults/list.ts';
import { FAULTS } from './faults/list.ts';
import type { Outcome } from './faults/run-tests.ts';
import { runTests, stopTests } from './faults/run-tests.ts';

const USAGE = `npm run test:long -- faults [--only <id,...>] [--kind browser|process|cli|unit] [--list] [--control]

Proves that the tests catch faults: puts one fault after the other into the sources (scripts/faults/list.ts), runs the
tests that have to catch it, and takes it out again. Exits with 1 unless all are caught. It changes sources while it
runs: do not edit them meanwhile.

  --only <ids>   these faults only, separated by commas
  --kind <kind>  faults only tests of this kind catch: browser, process, cli or unit
  --list         lists the faults, runs nothing
  --control      runs the same tests without the faults: all have to pass`;

const KINDS: readonly FaultKind[] = ['browser', 'process', 'cli', 'unit'];

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    kind: { type: 'string' },
    list: { type: 'boolean', default: false },
    control: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(USAGE);
else {
  const faults = selectFaults(values.only?.split(','), values.kind);
  if (values.list) for (const { id, kind, file, breaks } of faults) console.log(`${id}  ${kind}  ${file}: ${breaks}`);
  else process.exitCode = await checkAll(faults, { control: values.control });
}

async function checkAll(faults: readonly Fault[], { control }: { control: boolean }): Promise<number> {
  const restored = restoreSource();
  if (restored !== null) console.log(`Removed the fault "${restored}" of a killed run.`);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      stopTests();
      process.exit(128 + constants.signals[signal]);
    });
  }
  process.on('exit', restoreSource);

  let good = 0;
  for (const fault of faults) {
    const started = performance.now();
    const outcome = await check(fault, { control });
    if (outcome.outcome === (control ? 'missed' : 'caught')) good += 1;
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    console.log(`${fault.id}  ${fault.file}\n    ${fault.breaks}\n    ${describe(outcome, control)} (${seconds} s)`);
  }
  // Rebuild the page without a fault.
  const wrong = await buildPage({ log: () => undefined });
  if (wrong !== null) console.log(wrong);
  console.log(`\n${good} of ${faults.length} ${control ? 'pass without their fault' : 'caught'}`);
  return good === faults.length ? 0 : 1;
}

async function check(fault: Fault, { control }: { control: boolean }): Promise<Outcome> {
  if (!control) inject(fault);
  try {
    // Unit tests do not open the built page.
    const wrong = fault.kind === 'unit' ? null : await buildPage({ log: () => undefined });
    if (wrong !== null) return { outcome: 'invalid', reason: `the page cannot be built: ${wrong.trim()}` };
    return await runTests(fault);
  } finally {
    restoreSource();
  }
}

function describe(outcome: Outcome, control: boolean): string {
  switch (outcome.outcome) {
    case 'caught':
      return `${control ? 'FAILS WITHOUT A FAULT' : 'caught by'}: ${outcome.by}\n    ${outcome.how}`;
    case 'missed':
      return control ? 'passes' : 'NOT CAUGHT';
    case 'invalid':
      return `${control ? 'DOES NOT RUN' : 'NOT CAUGHT'}: ${outcome.reason}`;
  }
}

function selectFaults(ids: readonly string[] | undefined, kind: string | undefined): readonly Fault[] {
  const unknown = ids?.find((id) => !FAULTS.some((fault) => fault.id === id));
  if (unknown !== undefined) fail(`Unknown fault "${unknown}". List all with --list.`);
  if (kind !== undefined && !KINDS.some((each) => each === kind))
    fail(`--kind must be one of ${KINDS.join(', ')} (got "${kind}").`);
  return FAULTS.filter((fault) => (ids?.includes(fault.id) ?? true) && (kind === undefined || fault.kind === kind));
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

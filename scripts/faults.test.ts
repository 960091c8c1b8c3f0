import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withFault } from './faults/inject.ts';
import { FAULTS } from './faults/list.ts';
import { ROOT } from './run.ts';

describe('the faults of npm run test:long -- faults', () => {
  it('are forty with unique IDs, at least twenty of them for browser, process or CLI tests only', () => {
    expect(new Set(FAULTS.map(({ id }) => id)).size).toBe(40);
    expect(FAULTS.filter(({ kind }) => kind !== 'unit').length).toBeGreaterThanOrEqual(20);
  });

  it.each(FAULTS.map((fault) => [fault.id, fault] as const))('%s can be injected in one place', (_id, fault) => {
    const { original, faulty } = withFault(fault);
    expect(faulty).not.toBe(original);
    expect(fault.find + fault.replace).not.toContain('\n');
  });

  it.each(FAULTS.map((fault) => [fault.id, fault] as const))('%s names tests that exist', (_id, { tests, title }) => {
    const sources = tests.map((test) => readFileSync(join(ROOT, test), 'utf8'));
    if (title !== undefined) expect(sources.join('\n')).toContain(title);
  });
});

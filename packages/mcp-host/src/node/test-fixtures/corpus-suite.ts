import { needs, SANDBOX } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { AttackedMachine, openAttacks } from './corpus-in-sandbox.ts';

export type CorpusSuite = {
  /** Every n-th command of the corpus. */
  every: number;
  seconds: number;
  /** The minimum number of commands of the control group that must leak, or change files. */
  effective: number;
};

/** Runs dangerous commands in a real shell: in the planned sandbox, and in one with a hole in it. */
export function describeCorpusInSandbox({ every, seconds, effective }: CorpusSuite): void {
  describe('dangerous commands in a real shell', needs(SANDBOX), () => {
    test('leak no secret from the sandbox and change nothing outside of it', async () => {
      await using machine = await AttackedMachine.start();
      const attacks = [...openAttacks(every), ...machine.probes];
      const before = machine.state();
      const report = await machine.attack({ attacks, seconds, isExposed: false });
      expect(report).toMatchObject({ leaks: [], written: [], received: [], forbidden: 0 });
      expect(machine.state()).toEqual(before);
      // Some commands kill their own sandbox.
      expect(report.ran).toBeGreaterThan(attacks.length * 0.95);
      expect(report.requests).toBeGreaterThan(0);
    });

    test('leak secrets and change files if the user approved the home folder', async () => {
      await using machine = await AttackedMachine.start();
      const attacks = [...openAttacks(every), ...machine.probes];
      const report = await machine.attack({ attacks, seconds, isExposed: true });
      const leaking = new Set(report.leaks.map((leak) => leak.split(':')[0]));
      expect(leaking.size).toBeGreaterThanOrEqual(effective);
      expect(report.changed.length).toBeGreaterThanOrEqual(effective / 2);
      expect(report.written).toEqual(
        expect.arrayContaining(['work/probe-work/copied: .netrc', 'work/temporary: .my.cnf']),
      );
      expect(report.received).toContainEqual(expect.stringMatching(/: \.pgpass$/));
      expect(report.forbidden).toBe(0);
    });
  });
}

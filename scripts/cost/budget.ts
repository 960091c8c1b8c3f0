import { countChild } from './by-owner.ts';
import { cpuSeconds, startCalibration } from './cpu.ts';

/**
 * Budget of `npm test`: its CPU seconds divided by those of the calibration script. It is half of the cost before the
 * tests were optimized: 1,173 s of all processes, of which 81 % are counted here, divided by 0.62 s. New tests must fit or
 * replace others (docs/testing.md).
 */
const CPU_BUDGET = 766;

/** Counts the CPU time of this process and its children. The returned function stops counting and describes the cost. */
export function startCounting(): () => Promise<string[]> {
  const before = cpuSeconds();
  if (before === null) {
    return () => Promise.resolve(['CPU time is not measured on this system: only Linux reports it.']);
  }
  const calibration = startCalibration(countChild);
  return async () => {
    const { median, samples, cost } = await calibration.stop();
    const spent = (cpuSeconds() ?? 0) - before - cost;
    const ratio = Math.round(spent / median);
    const lines = [
      `CPU time: ${spent.toFixed(0)} s, ${ratio} times the calibration script ` +
        `(${median.toFixed(2)} s, median of ${samples} samples); budget ${CPU_BUDGET}`,
    ];
    if (ratio > CPU_BUDGET) {
      lines.push('WARNING: the budget is exceeded. Make tests cheaper or replace some (docs/testing.md).');
    }
    return lines;
  };
}

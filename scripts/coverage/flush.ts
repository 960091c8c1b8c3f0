import module from 'node:module';
import { takeCoverage } from 'node:v8';

/**
 * Loaded first by every bundled program while coverage is measured. Node writes coverage when a process exits or kills
 * itself; this module also writes it at short intervals, for processes killed by others. Do not write before
 * `process.kill`: Node names files by the millisecond, so the second file could overwrite the first.
 */
const EVERY_MS = 500;

if (process.env['NODE_V8_COVERAGE'] !== undefined) {
  setInterval(takeCoverage, EVERY_MS).unref();
  // For code from the compile cache, V8 counts functions only, not their branches.
  module.enableCompileCache = () => ({ status: module.constants.compileCacheStatus.DISABLED });
}

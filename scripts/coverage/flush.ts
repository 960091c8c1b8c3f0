import module from 'node:module';
import { takeCoverage } from 'node:v8';

/**
 * Loaded first by every bundled program while coverage is measured. Node writes what ran when a process exits or kills
 * itself; one that is killed by another has written it at short intervals. Writing it once more before `process.kill` would
 * lose it: Node names its files by the millisecond, and the second file would replace the first.
 */
const EVERY_MS = 500;

if (process.env['NODE_V8_COVERAGE'] !== undefined) {
  setInterval(takeCoverage, EVERY_MS).unref();
  // Of code that comes from the compile cache V8 counts functions only, and not the branches in them.
  module.enableCompileCache = () => ({ status: module.constants.compileCacheStatus.DISABLED });
}

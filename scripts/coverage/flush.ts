import module from 'node:module';
import { takeCoverage } from 'node:v8';

/**
 * Loaded first by every bundled program while coverage is measured. Node writes what ran when a process exits, which
 * one that is killed never does: here it is written at short intervals and before a process kills itself.
 */
const EVERY_MS = 500;

if (process.env['NODE_V8_COVERAGE'] !== undefined) {
  setInterval(takeCoverage, EVERY_MS).unref();
  const kill = process.kill.bind(process);
  process.kill = (pid, signal) => {
    if (pid === process.pid && signal === 'SIGKILL') takeCoverage();
    return kill(pid, signal);
  };
  // Of code that comes from the compile cache V8 counts functions only, and not the branches in them.
  module.enableCompileCache = () => ({ status: module.constants.compileCacheStatus.DISABLED });
}

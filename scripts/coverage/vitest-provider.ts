import { Session } from 'node:inspector';
import type { Debugger, Profiler } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import type { CoverageProvider, CoverageProviderModule, Vitest } from 'vitest/node';
import { COVERAGE_VARIABLE, foldersOf, writeRecord } from './record.ts';

/**
 * A coverage provider for Vitest. V8 counts executions in each worker; after each test file, the counts of our sources
 * are written with the transformed code and Vitest's source map. Vitest's own provider maps them to different statements
 * for each way of transforming code.
 */
const folder = process.env[COVERAGE_VARIABLE] ?? '';
const OURS = /\/(packages|servers)\/[^/]+\/src\//;

/** Modules loaded by a Vitest worker; only the fields that are read here. */
type VitestWorker = {
  evaluatedModules: { getModuleById: (id: string) => { meta?: { sourceMap?: string } } | undefined };
};

/** Global, because Vitest reloads this module during the lifetime of a worker. */
const worker = globalThis as { toolyardCoverage?: Session; __vitest_worker__?: VitestWorker };

function post<T>(method: string, params: object = {}): T {
  let answer: { error: Error | null; result: T } | undefined;
  // In the same process, the callback runs before `post` returns.
  worker.toolyardCoverage?.post(method, params, (error, result) => (answer = { error, result: result as T }));
  if (answer === undefined || answer.error !== null) {
    throw new Error(`${method} failed: ${answer?.error?.message ?? 'no answer'}`);
  }
  return answer.result;
}

function isOurs(url: string): boolean {
  return OURS.test(url) && !url.includes('/node_modules/');
}

/**
 * Vitest adds this comment only with an attached debugger. Without the map, offsets in transformed code cannot be mapped to
 * sources. Modules that Node has loaded need none: stripping their types keeps offsets.
 */
function sourceMapComment(url: string): string {
  const path = url.startsWith('file://') ? fileURLToPath(url) : url;
  const map = worker.__vitest_worker__?.evaluatedModules.getModuleById(path)?.meta?.sourceMap;
  if (map === undefined) return '';
  return `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`;
}

function startCoverage(): void {
  // Programs started by tests write their own coverage: Node passes this variable on, even with another environment.
  process.env['NODE_V8_COVERAGE'] = foldersOf(folder).node;
  if (worker.toolyardCoverage !== undefined) return;
  worker.toolyardCoverage = new Session();
  worker.toolyardCoverage.connect();
  post('Profiler.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}

function takeCoverage(): void {
  const { result } = post<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage');
  const ours = result.filter(({ url }) => isOurs(url));
  if (ours.length === 0) return;
  // V8 needs the debugger to return code; enabled permanently, it slows down execution.
  post('Debugger.enable');
  const scripts = ours.map(({ url, functions, scriptId }) => {
    const { scriptSource } = post<Debugger.GetScriptSourceReturnType>('Debugger.getScriptSource', { scriptId });
    return { url, functions, code: `${scriptSource}${sourceMapComment(url)}` };
  });
  post('Debugger.disable');
  writeRecord(folder, scripts);
}

function getProvider(): CoverageProvider {
  let vitest: Vitest | undefined;
  return {
    name: 'toolyard',
    initialize: (started) => void (vitest = started),
    resolveOptions() {
      if (vitest === undefined) throw new Error('Vitest asks for options before it has initialized the provider.');
      return vitest.config.coverage;
    },
    clean: () => undefined,
    onAfterSuiteRun: () => undefined,
    generateCoverage: () => ({}),
    reportCoverage: () => undefined,
  };
}

export default { getProvider, startCoverage, takeCoverage } satisfies CoverageProviderModule;

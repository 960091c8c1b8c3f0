import { Session } from 'node:inspector';
import type { Debugger, Profiler } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import type { CoverageProvider, CoverageProviderModule, Vitest } from 'vitest/node';
import { COVERAGE_VARIABLE, foldersOf, writeRecord } from './record.ts';

/**
 * Vitest's hooks for coverage. In each worker V8 counts what runs; after each test file the counts of our sources are
 * written with the code as V8 has it and the source map that Vitest keeps beside it. Vitest's own provider maps them to
 * statements of its own, different for each way code is transformed.
 */
const folder = process.env[COVERAGE_VARIABLE] ?? '';
const OURS = /\/(packages|servers)\/[^/]+\/src\//;

/** As far as it is read: the modules that a worker of Vitest has loaded. */
type VitestWorker = {
  evaluatedModules: { getModuleById: (id: string) => { meta?: { sourceMap?: string } } | undefined };
};

/** Not variables of this module: Vitest loads it again in the middle of a worker's life. */
const worker = globalThis as { toolyardCoverage?: Session; __vitest_worker__?: VitestWorker };

function post<T>(method: string, params: object = {}): T {
  let answer: { error: Error | null; result: T } | undefined;
  // Within the same process it answers before it returns.
  worker.toolyardCoverage?.post(method, params, (error, result) => (answer = { error, result: result as T }));
  if (answer === undefined || answer.error !== null) {
    throw new Error(`${method} failed: ${answer?.error?.message ?? 'no answer'}`);
  }
  return answer.result;
}

function isOurs(url: string): boolean {
  return OURS.test(url) && !url.includes('/node_modules/');
}

/** Vitest adds this comment itself only while a debugger listens. Without the map, offsets would be those of other code. */
function sourceMapComment(url: string): string {
  const path = url.startsWith('file://') ? fileURLToPath(url) : url;
  const map = worker.__vitest_worker__?.evaluatedModules.getModuleById(path)?.meta?.sourceMap;
  if (map === undefined)
    throw new Error(`Vitest has no source map of ${url}: adapt scripts/coverage/vitest-provider.ts.`);
  return `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`;
}

function startCoverage(): void {
  // Programs the tests start write theirs themselves: Node hands this variable on, even beside another environment.
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
  // Without it V8 gives no code; left on, it would slow down what runs.
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

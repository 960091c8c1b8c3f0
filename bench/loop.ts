// Cost of the agent loop: Toolyard and other libraries compared with a baseline that does the same work.
import type { Bench } from './harness/bench.ts';
import { runBench } from './harness/bench.ts';
import type { ContenderProcess } from './harness/contender.ts';
import { startContenders } from './harness/contender.ts';
import type { Figure } from './harness/figure.ts';
import { choose } from './harness/options.ts';
import type { Block } from './harness/rounds.ts';
import { getBlocks, compete, competitorFigures, goal } from './harness/rounds.ts';
import type { MockModel } from './mock-model/start.ts';
import { startMockModel } from './mock-model/start.ts';
import { ANSWER } from './mock-model/texts.ts';
import { EVERYTHING } from './harness/everything.ts';

const CONTENDERS: Readonly<Record<string, string>> = {
  baseline: 'loop/contenders/baseline.ts',
  toolyard: 'loop/contenders/toolyard.ts',
  ai: 'loop/contenders/ai.ts',
  '@openai/agents': 'loop/contenders/openai-agents.ts',
  '@mariozechner/pi-agent-core': 'loop/contenders/pi.ts',
};
/** Warm-up requests, after which the JIT compiler has optimized the hot paths. */
const WARM_UP_REQUESTS = 800;

type Context = Bench & { mock: MockModel; contenders: readonly ContenderProcess[] };

/** Runs by number of calls. `atMost`: target for the CPU time of Toolyard as a multiple of the baseline. */
async function measure(context: Context, calls: number, atMost: number): Promise<Figure[]> {
  const { options, mock, contenders, say } = context;
  const { quick, values } = options;
  const kilobytes = new Map<string, number>();
  const competitors = contenders.map((contender) => ({
    name: contender.name,
    async block(runs: number): Promise<Block> {
      const { block, requestBytes } = await checkedBlock(contender, mock, { calls, runs });
      kilobytes.set(contender.name, requestBytes / runs / 1000);
      return block;
    },
  }));
  const results = await compete(competitors, {
    rounds: Number(values['rounds'] ?? (quick ? 2 : 16)),
    runs: Number(values['runs'] ?? (quick ? 5 : 60)),
    warmUpRuns: Math.ceil((quick ? 20 : WARM_UP_REQUESTS) / (calls + 1)),
    say,
  });
  // Other contenders may fail.
  for (const { name } of contenders) if (name === 'baseline' || name === 'toolyard') getBlocks(results, name);
  const versions = new Map(contenders.map(({ name, version }) => [name, version]));
  return [
    ...competitorFigures(results, 'baseline', (name) => ({
      measure: `${name} ${versions.get(name) ?? ''}`,
      of: { requestKb: kilobytes.get(name) ?? Number.NaN },
    })),
    ...goal(results, ['toolyard', 'baseline'], atMost),
  ];
}

/** A block of runs. @throws Error unless the model received exactly the expected requests */
async function checkedBlock(
  contender: ContenderProcess,
  mock: MockModel,
  { calls, runs }: { calls: number; runs: number },
): Promise<{ block: Block; requestBytes: number }> {
  await mock.report();
  const failed: unknown[] = [];
  const block = await contender.block(calls, runs).catch((thrown: unknown) => void failed.push(thrown));
  const { requests, answers, requestBytes, wrong } = await mock.report();
  if (wrong !== null) throw new Error(`the mock model rejected a request: ${wrong}`);
  if (!block) throw failed[0];
  const due = runs * (calls + 1);
  if (requests !== due) throw new Error(`the model saw ${requests} requests instead of ${due}`);
  if (answers !== runs) throw new Error(`the model gave ${answers} answers instead of ${runs}`);
  return { block, requestBytes };
}

await runBench<Context>({
  name: 'loop',
  parts: { exchange: (context) => measure(context, 1, 1.3), 'run-11': (context) => measure(context, 10, 1.5) },
  own: {
    runs: { kind: 'count', usage: 'runs in one turn of a contender (default 60)' },
    rounds: { kind: 'count', usage: 'turns of each contender (default 16)' },
    batch: {
      kind: 'count',
      usage: 'events the model puts into one write (default 5; with 300 the answer comes at once)',
    },
    contenders: { kind: 'names', usage: 'these alone (without baseline no ratios)', known: Object.keys(CONTENDERS) },
  },
  async *contexts(bench) {
    const { profile, values } = bench.options;
    await using stack = new AsyncDisposableStack();
    const mock = stack.use(await startMockModel(Number(values['batch'] ?? 5)));
    const { origin, baseUrl } = mock;
    const names = Object.keys(CONTENDERS);
    const chosen = values['contenders'] === undefined ? names : choose('contenders', values['contenders'], names);
    const contenders = await startContenders(
      chosen.map((name) => ({
        name,
        file: CONTENDERS[name] ?? '',
        setting: { origin, baseUrl, server: EVERYTHING },
        answer: ANSWER,
        profile,
      })),
      { stack, say: bench.say },
    );
    yield { context: { ...bench, mock, contenders } };
  },
});

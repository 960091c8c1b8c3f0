// Cost of streaming: API formats compared with a baseline and other libraries, parsing text tool calls, and importing the
// package.
import type { Bench } from './harness/bench.ts';
import { noContext, runBench } from './harness/bench.ts';
import { startContenders } from './harness/contender.ts';
import type { Figure } from './harness/figure.ts';
import { getBlocks, compete, competitorFigures, goal } from './harness/rounds.ts';
import { startMockModel } from './mock-model/start.ts';
import { LONG_ANSWER } from './mock-model/texts.ts';
import { CONTENDER_NAMES } from './stream/contenders.ts';
import { measureImport } from './stream/import.ts';
import { measureTextCalls } from './stream/text-calls.ts';
import { EVERYTHING } from './harness/everything.ts';

/** Answers of 5,000 pieces. */
async function measureAnswers({ options, say }: Bench): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const { origin, baseUrl } = stack.use(await startMockModel(Number(options.values['batch'] ?? 5)));
  const setting = { origin, baseUrl, server: EVERYTHING };
  const contenders = await startContenders(
    CONTENDER_NAMES.map((name) => ({
      name,
      file: 'stream/contenders.ts',
      setting,
      answer: LONG_ANSWER,
      profile: options.profile,
    })),
    { stack, say },
  );
  const results = await compete(
    contenders.map((contender) => ({ name: contender.name, block: (runs) => contender.block(0, runs) })),
    { rounds: options.quick ? 3 : 9, runs: 12, warmUpRuns: 30, say },
  );
  for (const name of ['baseline', 'openai-chat']) getBlocks(results, name);
  const versions = new Map(contenders.map(({ name, version }) => [name, version]));
  return [
    ...competitorFigures(results, 'baseline', (name) => ({ measure: `${name} ${versions.get(name) ?? ''}` })),
    ...goal(results, ['openai-chat', 'baseline'], 2),
    ...goal(results, ['openai-chat', 'ai'], 0.2),
    ...goal(results, ['openai-chat, looking for calls in text', 'openai-chat'], 1.2),
  ];
}

await runBench({
  name: 'stream',
  parts: { answers: measureAnswers, 'text-calls': measureTextCalls, import: measureImport },
  own: { batch: { kind: 'count', usage: 'events the model puts into one write (default 5)' } },
  contexts: noContext,
});

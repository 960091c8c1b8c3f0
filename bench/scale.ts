// Servers on both engines, and web, worker and tools over PostgreSQL.
import { findPostgres } from '../testing/src/postgres-binaries.ts';
import { startCluster } from '../testing/src/postgres.ts';
import type { Bench } from './harness/bench.ts';
import { runBench } from './harness/bench.ts';
import type { Figure } from './harness/figure.ts';
import { figure } from './harness/figure.ts';
import { choose } from './harness/options.ts';
import type { MockModel } from './mock-model/start.ts';
import { startMockModel } from './mock-model/start.ts';
import { TOKENS_A_SECOND } from './mock-model/texts.ts';
import { measureFirstToken } from './run/first-token.ts';
import { measureMany } from './run/many.ts';
import type { Deployment } from './scale/deployment.ts';
import { DEPLOYMENTS, openDeployment } from './scale/deployment.ts';
import { measureResume } from './scale/resume.ts';

type Context = Bench & { deployment: Deployment; mock: MockModel };

async function measureManyStored({ deployment, mock, options, say }: Context): Promise<Figure[]> {
  const { api, servers, database } = deployment;
  const before = await deployment.storedBytes();
  const { figures, cpuPercent, tokens } = await measureMany({
    ...{ api, mock, servers, say },
    others: database ? { 'the database': database } : {},
    windows: { count: options.quick ? 3 : 8, ms: 2_000 },
    goals: { tokenP99Ms: 50 },
  });
  const bytes = (await deployment.storedBytes()) - before;
  const allPercent = [...cpuPercent.values()].reduce((sum, percent) => sum + percent, 0);
  return [
    ...figures,
    figure(
      'processor time of them all for a thousand tokens',
      (10 * allPercent) / ((200 * TOKENS_A_SECOND) / 1000),
      'ms',
    ),
    figure('bytes stored a token', bytes / tokens, 'B'),
  ];
}

await runBench<Context>({
  name: 'scale',
  parts: {
    'first-token': ({ deployment: { api, name }, options }) =>
      measureFirstToken(api, { quick: options.quick, atMost: name === 'sqlite' ? 5 : 15 }),
    many: measureManyStored,
    resume: ({ deployment, options, say }) => measureResume(deployment.api, { runs: options.quick ? 1 : 3, say }),
  },
  own: { places: { kind: 'names', usage: 'these deployments alone', known: DEPLOYMENTS } },
  async *contexts(bench) {
    const { values, profile } = bench.options;
    const chosen = values['places'] === undefined ? DEPLOYMENTS : choose('places', values['places'], DEPLOYMENTS);
    await using stack = new AsyncDisposableStack();
    const binaries = chosen.some((name) => name !== 'sqlite') ? await findPostgres() : null;
    if (binaries?.missing) bench.say(binaries.missing);
    const cluster = binaries?.folder ? await startCluster(binaries.folder, { durable: true }) : null;
    if (cluster) stack.defer(() => cluster.close());
    const mock = stack.use(await startMockModel());
    for (const name of chosen) {
      await using deployment = await openDeployment(name, { modelUrl: mock.baseUrl, cluster, profile });
      if (deployment) yield { label: name, context: { ...bench, deployment, mock } };
      else bench.say(`${name}: skipped, it needs PostgreSQL`);
    }
  },
});

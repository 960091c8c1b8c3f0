// What the loop costs: Toolyard and its peers beside the least that does the same work. JSON lines on stdout, a table
// for people on stderr.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Block, ChildToOwner, OwnerToChild } from './loop/child.ts';
import type { Surroundings } from './loop/contender.ts';
import type { Figures } from './loop/figures.ts';
import { figuresOf } from './loop/figures.ts';
import type { Counts, MockToOwner } from './loop/mock-model.ts';
import type { Options } from './loop/options.ts';
import { readOptions, USAGE } from './loop/options.ts';
import type { Peer } from './support/process.ts';
import { startPeer } from './support/process.ts';
import type { Scenario } from './loop/task.ts';
import { SCENARIOS } from './loop/task.ts';
import { verdicts, table } from './loop/table.ts';

const CONTENDERS = [
  { name: 'floor', file: './contenders/floor.ts' },
  { name: 'toolyard', file: './contenders/toolyard.ts' },
  { name: 'ai', file: './contenders/ai.ts' },
  { name: '@openai/agents', file: './contenders/openai-agents.ts' },
  { name: '@mariozechner/pi-agent-core', file: './contenders/pi.ts' },
] as const;

const START_MS = 60_000;
const BLOCK_MS = 120_000;

export type Line = { bench: 'loop'; scenario: string; contender: string } & (
  | ({ version: string; requestKb: number } & Figures)
  | { error: string }
);

type Runner = {
  name: string;
  version: string;
  child: Peer<OwnerToChild, ChildToOwner>;
  /** By scenario: a block a round, and the bytes sent to the model in all of them. */
  blocks: Map<string, Block[]>;
  requestBytes: Map<string, number>;
  /** Why it has no figures, by scenario; under `start` why it has none at all. */
  errors: Map<string, string>;
};

type Mock = Peer<string, MockToOwner>;

async function main(options: Options): Promise<Line[]> {
  const mock: Mock = startPeer('loop/mock-model.ts', { args: [String(options.batch)] });
  const runners: Runner[] = [];
  try {
    const listening = await mock.hear(START_MS);
    if (listening.type !== 'listening') throw new Error('the mock model did not start');
    const everything = new URL('./node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url);
    const surroundings: Surroundings = {
      baseUrl: `http://127.0.0.1:${listening.port}/v1`,
      server: { command: process.execPath, args: [fileURLToPath(everything), 'stdio'] },
    };
    for (const { name, file } of CONTENDERS) {
      if (options.only.includes(name)) runners.push(await startRunner(name, file, surroundings, options));
    }
    for (const scenario of SCENARIOS) await compete(scenario, runners, mock, options);
    return SCENARIOS.flatMap((scenario) => linesOf(scenario, runners));
  } finally {
    for (const { child } of runners) {
      await child.ask({ type: 'close' }, START_MS).catch(() => undefined);
      await child.end();
    }
    await mock.end();
  }
}

async function startRunner(name: string, file: string, surroundings: Surroundings, options: Options): Promise<Runner> {
  const execArgv =
    options.profile === null
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${resolve(options.profile)}`, `--cpu-prof-name=${fileNameOf(name)}`];
  const child: Runner['child'] = startPeer('loop/child.ts', { execArgv });
  const runner: Runner = { name, version: '', child, blocks: new Map(), requestBytes: new Map(), errors: new Map() };
  try {
    const reply = await child.ask({ type: 'start', file, surroundings }, START_MS);
    if (reply.type === 'ready') runner.version = reply.version;
    else runner.errors.set('start', reply.type === 'failed' ? reply.message : `said ${reply.type}`);
  } catch (thrown) {
    runner.errors.set('start', messageOf(thrown));
  }
  const error = runner.errors.get('start');
  say(error === undefined ? `${name} ${runner.version} is ready` : `${name} cannot start: ${error}`);
  return runner;
}

/**
 * All contenders in turns. The first round warms up and is thrown away. Every round begins with another contender and
 * every second one goes backwards, so that nobody always follows the same neighbour.
 */
async function compete(scenario: Scenario, runners: readonly Runner[], mock: Mock, options: Options): Promise<void> {
  for (let round = 0; round <= options.rounds; round++) {
    say(round === 0 ? `${scenario.name}: warming up` : `${scenario.name}: round ${round} of ${options.rounds}`);
    const order = [...runners.slice(round % runners.length), ...runners.slice(0, round % runners.length)];
    if (round % 2 === 1) order.reverse();
    for (const runner of order) {
      if (errorIn(scenario, runner) !== undefined) continue;
      const runs = round === 0 ? Math.ceil(options.warmUpRequests / (scenario.calls + 1)) : options.runs;
      try {
        const { block, counts } = await takeTurn(runner, scenario, runs, mock);
        if (round === 0) continue;
        runner.blocks.set(scenario.name, [...(runner.blocks.get(scenario.name) ?? []), block]);
        runner.requestBytes.set(scenario.name, (runner.requestBytes.get(scenario.name) ?? 0) + counts.requestBytes);
      } catch (thrown) {
        runner.errors.set(scenario.name, messageOf(thrown));
        say(`${runner.name} failed: ${messageOf(thrown)}`);
      }
    }
  }
}

/** A block of runs. Throws unless the model saw exactly the requests that the work takes. */
async function takeTurn(
  { child }: Runner,
  { calls }: Scenario,
  runs: number,
  mock: Mock,
): Promise<{ block: Block; counts: Counts }> {
  await countsOf(mock);
  const reply = await child.ask({ type: 'block', calls, runs }, BLOCK_MS);
  const counts = await countsOf(mock);
  if (counts.wrong !== null) throw new Error(`the model refused: ${counts.wrong}`);
  if (reply.type !== 'block') throw new Error(reply.type === 'failed' ? reply.message : `said ${reply.type}`);
  const due = runs * (calls + 1);
  if (counts.requests !== due) throw new Error(`the model saw ${counts.requests} requests instead of ${due}`);
  if (counts.answers !== runs) throw new Error(`the model gave ${counts.answers} answers instead of ${runs}`);
  return { block: reply, counts };
}

async function countsOf(mock: Mock): Promise<Counts> {
  const reply = await mock.ask('counts', START_MS);
  if (reply.type !== 'counts') throw new Error(`the mock model said ${reply.type}`);
  return reply.counts;
}

function errorIn(scenario: Scenario, { errors }: Runner): string | undefined {
  return errors.get('start') ?? errors.get(scenario.name);
}

function linesOf(scenario: Scenario, runners: readonly Runner[]): Line[] {
  const floor = runners.find((runner) => runner.name === 'floor' && errorIn(scenario, runner) === undefined);
  return runners.map((runner): Line => {
    const head = { bench: 'loop', scenario: scenario.name, contender: runner.name } as const;
    const blocks = runner.blocks.get(scenario.name);
    // One that failed half-way is not shown with the rounds it did well.
    const error = errorIn(scenario, runner);
    if (error !== undefined || !blocks) return { ...head, error: error ?? 'never had its turn' };
    const figures = figuresOf(blocks, floor?.blocks.get(scenario.name) ?? null);
    const sent = runner.requestBytes.get(scenario.name) ?? 0;
    return { ...head, version: runner.version, ...figures, requestKb: Math.round(sent / figures.runs / 100) / 10 };
  });
}

function fileNameOf(contender: string): string {
  return `${contender.replaceAll(/[^a-z]+/g, '-').replace(/^-/, '')}.cpuprofile`;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function optionsOrExit(): Options {
  const names = CONTENDERS.map(({ name }) => name);
  try {
    const options = readOptions(process.argv.slice(2), names);
    if (options) return options;
    process.stdout.write(USAGE);
    process.exit(0);
  } catch (thrown) {
    say(`${messageOf(thrown)}\n\n${USAGE}`);
    process.exit(2);
  }
}

const lines = await main(optionsOrExit());
for (const line of lines) process.stdout.write(`${JSON.stringify(line)}\n`);
say(`\n${table(lines)}\n${verdicts(lines)}`);
// A peer may fail without the bench failing; without the two it is about, there is nothing to say.
if (lines.some((line) => 'error' in line && ['floor', 'toolyard'].includes(line.contender))) process.exitCode = 1;

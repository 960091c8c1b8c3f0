import { say } from '../support/command.ts';
import type { Finding } from '../support/finding.ts';
import type { Peer } from '../support/process.ts';
import { startPeer } from '../support/process.ts';
import { median, quartiles } from '../support/quantile.ts';
import { PIECES } from './answer.ts';
import type { Block, ChildToOwner, OwnerToChild } from './child.ts';
import type { ContenderName } from './contenders.ts';
import { CONTENDERS } from './contenders.ts';
import type { Options } from './options.ts';

const WAIT_MS = 120_000;
/** After so many answers the optimising compiler has seen the hot paths. */
const WARM_UP = 30;

type Runner = { name: ContenderName; version: string; child: Peer<OwnerToChild, ChildToOwner>; blocks: Block[] };

/** Answers of 5,000 pieces, read by everybody in turns; a ratio is to the floor's turn in the same round. */
export async function measureAnswers(options: Options): Promise<Finding[]> {
  const mock = startPeer<string, { port: number }>('stream/mock-model.ts', { args: [String(options.batch)] });
  const runners: Runner[] = [];
  try {
    const { port } = await mock.hear(WAIT_MS);
    for (const name of Object.keys(CONTENDERS) as ContenderName[]) {
      const runner = await start(name, `http://127.0.0.1:${port}`);
      if (runner !== null) runners.push(runner);
    }
    for (let round = 0; round < options.rounds; round++) {
      say(`round ${round + 1} of ${options.rounds}`);
      const from = round % runners.length;
      const order = [...runners.slice(from), ...runners.slice(0, from)];
      if (round % 2 === 1) order.reverse();
      for (const runner of order) runner.blocks.push(await block(runner, options.runs));
    }
  } finally {
    for (const { child } of runners) await child.end();
    await mock.end();
  }
  return [...runners.map((runner) => figureOf(runner, find(runners, 'floor'))), ...aims(runners)];
}

async function start(name: ContenderName, origin: string): Promise<Runner | null> {
  const child: Runner['child'] = startPeer('stream/child.ts');
  const runner: Runner = { name, version: '', child, blocks: [] };
  try {
    const ready = await child.ask({ type: 'start', name, origin }, WAIT_MS);
    if (ready.type !== 'ready') throw new Error(ready.type === 'failed' ? ready.message : ready.type);
    runner.version = ready.version;
    await block(runner, WARM_UP);
    say(`${name} ${runner.version} is ready`);
    return runner;
  } catch (thrown) {
    await child.end();
    say(`${name} cannot take part: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    return null;
  }
}

async function block({ name, child }: Runner, runs: number): Promise<Block> {
  const reply = await child.ask({ type: 'block', runs }, WAIT_MS);
  if (reply.type === 'block') return reply;
  throw new Error(`${name}: ${reply.type === 'failed' ? reply.message : reply.type}`);
}

function find(runners: readonly Runner[], name: ContenderName): Runner {
  const found = runners.find((runner) => runner.name === name);
  if (found === undefined) throw new Error(`${name} did not take part`);
  return found;
}

const wallOf = ({ wallMs }: Block): number => median(wallMs);

/** How many times the other's time, round by round. */
function times({ blocks }: Runner, other: Runner, of: (block: Block) => number): number[] {
  return blocks.map((block, round) => of(block) / of(other.blocks[round] ?? block));
}

function figureOf(runner: Runner, floor: Runner): Finding {
  const walls = runner.blocks.flatMap(({ wallMs }) => wallMs);
  const [fast, slow] = quartiles(walls);
  return {
    part: 'answers',
    measure: `${runner.name} ${runner.version}`,
    value: PIECES / median(walls),
    unit: 'thousand pieces a second',
    quartiles: [PIECES / slow, PIECES / fast],
    of: {
      wallMs: median(walls),
      cpuMs: median(runner.blocks.map(({ cpuMs }) => cpuMs)),
      timesFloor: median(times(runner, floor, wallOf)),
      cpuTimesFloor: median(times(runner, floor, ({ cpuMs }) => cpuMs)),
    },
  };
}

/** By processor time: on a machine that does other things as well, wall time tells of those. */
function aims(runners: readonly Runner[]): Finding[] {
  const compared = (measure: string, one: ContenderName, other: ContenderName, atMost: number): Finding[] => {
    const [a, b] = [one, other].map((name) => runners.find((runner) => runner.name === name));
    if (a === undefined || b === undefined) return [];
    const ratios = times(a, b, ({ cpuMs }) => cpuMs);
    const wallTimes = median(times(a, b, wallOf));
    const figure = { value: median(ratios), unit: '', quartiles: quartiles(ratios), of: { wallTimes } };
    return [{ part: 'answers', measure, ...figure, atMost }];
  };
  return [
    ...compared('openai-chat beside the floor, processor time', 'openai-chat', 'floor', 2),
    ...compared('openai-chat beside ai, processor time', 'openai-chat', 'ai', 0.2),
    ...compared('looking for calls in text beside not', 'openai-chat, looking for calls in text', 'openai-chat', 1.2),
  ];
}

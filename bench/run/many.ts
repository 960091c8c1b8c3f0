import type { Peer } from '../support/process.ts';
import { startPeer } from '../support/process.ts';
import { median, quantile, quartiles } from '../support/quantile.ts';
import type { Api } from '../support/api.ts';
import { createApi } from '../support/api.ts';
import type { Context } from './context.ts';
import { serve } from './context.ts';
import { PROVIDER } from '../support/start-upstream.ts';
import type { Finding } from '../support/finding.ts';
import type { Load, OwnerToProbe, ProbeToOwner } from '../support/probe.ts';
import type { ServerProcess } from '../support/server.ts';
import { makeDataFolder } from '../support/server.ts';
import { stampsIn, steadyAnswer, TOKENS_A_SECOND, withoutStamps } from '../support/words.ts';

const RUNS = 200;
/** From the first run to the last; the tokens begin at once. */
const STARTING_MS = 4_000;
const MARGIN_MS = 2_000;
const ANSWER_MS = 10_000;

/**
 * 200 conversations that are answered at 50 tokens a second each, and each read by a reader of its own. Measured is
 * the time in which all of them go on; what the readers have is compared with what was sent, whole.
 */
export async function measureMany(context: Context): Promise<Finding[]> {
  const { options, say, upstream } = context;
  const windows = options.quick ? 3 : 6;
  const windowMs = options.quick ? 2_000 : 5_000;
  const tokens = ((STARTING_MS + 2 * MARGIN_MS + windows * windowMs) / 1000) * TOKENS_A_SECOND;
  using folder = makeDataFolder();
  const idle: Peer<OwnerToProbe, ProbeToOwner> = startPeer('run/idle.ts');
  const server = await serve(context, 'many', { dataFolder: folder.path });
  try {
    const api = createApi(server.url);
    const answers: Answer[] = [];
    say(`starting ${String(RUNS)} runs`);
    for (let started = 0; started < RUNS; started++) {
      const due = performance.now() + STARTING_MS / RUNS;
      answers.push(await Answer.begin(api, tokens));
      await sleep(due - performance.now());
    }
    await sleep(MARGIN_MS);

    say(`all are under way; measuring ${String((windows * windowMs) / 1000)} s`);
    for (const answer of answers) answer.delays.length = 0;
    await upstream.cpuMs();
    const ownBefore = process.cpuUsage();
    const loads: Load[] = [];
    const idleP99: number[] = [];
    for (let window = 0; window < windows; window++) {
      await idle.ask('begin', ANSWER_MS);
      loads.push(await watch(server, windowMs));
      const told = await idle.ask('load', ANSWER_MS);
      if (told.type === 'load') idleP99.push(told.delayMs.p99);
    }
    const own = process.cpuUsage(ownBefore);
    const spentMs = loads.reduce((sum, { wallMs }) => sum + wallMs, 0);
    const shares = {
      upstreamPercent: (100 * (await upstream.cpuMs())) / spentMs,
      readersPercent: (own.user + own.system) / 10 / spentMs,
    };
    const delays = answers.flatMap((answer) => answer.delays);

    say('waiting for their ends');
    await Promise.all(answers.map(({ ended }) => ended));
    const faults = answers.flatMap((answer) => answer.faults());
    for (const fault of faults.slice(0, 5)) say(fault);
    return findingsOf(
      { loads, idleP99, delays, faults: faults.length },
      { ...shares, runs: RUNS, tokensOfEach: tokens },
    );
  } finally {
    await server.end();
    await idle.end();
  }
}

async function watch(server: ServerProcess, ms: number): Promise<Load> {
  await server.begin();
  await sleep(ms);
  return server.load();
}

/** One run and its reader. */
export class Answer {
  readonly #expected: string;
  readonly #tokens: number;
  #text = '';
  #nextSeq = 1;
  #misplaced = 0;
  /** How long stamped tokens were under way, in milliseconds. */
  readonly delays: number[] = [];
  ended: Promise<void> = Promise.resolve();

  private constructor(tokens: number) {
    this.#tokens = tokens;
    this.#expected = steadyAnswer(tokens);
  }

  static async begin(api: Api, tokens: number, reader = api): Promise<Answer> {
    const answer = new Answer(tokens);
    const modelId = `steady-${String(tokens)}`;
    const conversation = await api.createConversation({ model: { providerId: PROVIDER, modelId } });
    const run = await api.send(conversation, 'Tell me a long story.');
    answer.ended = reader.read(run, (events, at) => {
      for (const event of events) {
        if (event.seq !== answer.#nextSeq++) answer.#misplaced++;
        if (event.type !== 'text_delta') continue;
        answer.#text += event.text;
        for (const sent of stampsIn(event.text)) answer.delays.push(Number(at - sent) / 1e6);
      }
    });
    // Told at the end; until then nobody else may hear of it.
    answer.ended.catch(() => undefined);
    return answer;
  }

  faults(): string[] {
    const faults: string[] = [];
    if (this.#misplaced > 0) faults.push(`${String(this.#misplaced)} events out of their place`);
    if (withoutStamps(this.#text) !== this.#expected)
      faults.push(`${String(this.#text.length)} characters that are not the ${String(this.#tokens)} tokens sent`);
    return faults;
  }
}

type Measured = { loads: readonly Load[]; idleP99: readonly number[]; delays: readonly number[]; faults: number };

function findingsOf({ loads, idleP99, delays, faults }: Measured, of: Record<string, number>): Finding[] {
  const cpu = loads.map(({ cpuMs, wallMs }) => (100 * cpuMs) / wallMs);
  const p99 = loads.map(({ delayMs }) => delayMs.p99);
  const own = loads.map(({ ownDelayMs }) => ownDelayMs);
  const part = 'many';
  return [
    { part, measure: '200 runs at 50 tokens a second: runs read wrongly', value: faults, unit: '', atMost: 0, of },
    {
      part,
      measure: 'processor time of the server, of one core',
      value: median(cpu),
      unit: '%',
      quartiles: quartiles(cpu),
      atMost: 60,
    },
    {
      part,
      measure: 'delay of its event loop, 99th percentile',
      value: median(p99),
      unit: 'ms',
      quartiles: quartiles(p99),
      atMost: 20,
      of: {
        medianMs: median(loads.map(({ delayMs }) => delayMs.median)),
        maxMs: Math.max(...loads.map(({ delayMs }) => delayMs.max)),
      },
    },
    {
      part,
      measure: 'the same without the time other processes took',
      value: median(own),
      unit: 'ms',
      quartiles: quartiles(own),
      atMost: 20,
    },
    {
      part,
      measure: 'the delay of a process that does nothing, meanwhile',
      value: median(idleP99),
      unit: 'ms',
      quartiles: quartiles(idleP99),
    },
    {
      part,
      measure: 'a token, from upstream to reader',
      value: quantile(delays, 0.5),
      unit: 'ms',
      quartiles: quartiles(delays),
      of: { p99: quantile(delays, 0.99), tokens: delays.length },
    },
  ];
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}

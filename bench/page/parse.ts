import { Lexer } from 'marked';
import { IncrementalMarkdown } from '../../packages/web/src/lib/markdown/incremental.ts';
import type { Figure } from '../harness/figure.ts';
import { figure } from '../harness/figure.ts';
import { median, quantile } from '../harness/quantile.ts';
import { richMarkdown, sampleMarkdown, splitTokens } from '../harness/sample-markdown.ts';
import type { Context } from './visitor.ts';

const SIZE = 60_000;
/** 500 tokens per second at 60 frames per second: the page parses once a frame. */
const TOKENS_PER_FRAME = 8;
/** The baseline parses the whole text, which takes too long for every frame. */
const BASELINE_EVERY = 10;

type Sample = { name: string; text: string };

/**
 * The parser of the page without a browser: answers of 60 kB, frame by frame, beside `marked` on the whole text. The
 * second one has formulas, footnotes, alerts and sections in every paragraph.
 */
export function measureParse({ options, say }: Context): Figure[] {
  const rounds = options.quick ? 2 : 5;
  const samples: readonly Sample[] = [
    { name: 'a 60 kB answer', text: sampleMarkdown(SIZE) },
    { name: 'a 60 kB answer with formulas and tables', text: richMarkdown(SIZE) },
  ];
  return samples.flatMap((sample) => measureSample(sample, rounds, say));
}

function measureSample({ name, text }: Sample, rounds: number, say: Context['say']): Figure[] {
  const own: number[] = [];
  const whole: number[] = [];
  let worst = 0;
  for (let round = -1; round < rounds; round++) {
    say(`${name}: ${round < 0 ? 'warming up' : `round ${String(round + 1)} of ${String(rounds)}`}`);
    const page = parseAll(text);
    const baseline = parseWhole(text);
    if (round < 0) continue;
    own.push(mean(page));
    whole.push(mean(baseline));
    worst = Math.max(worst, quantile(page, 0.99));
  }
  return [
    figure(`parsing one token of ${name}`, median(own), 'µs', { atMost: 20, of: { p99Us: worst } }),
    figure(`baseline: the lexer of marked on the whole text, one token of ${name}`, median(whole), 'µs'),
  ];
}

/** Microseconds for each token, by frame. */
function parseAll(text: string): number[] {
  const parser = new IncrementalMarkdown();
  return frames(text).map((part) => timed(() => parser.update(part)) / TOKENS_PER_FRAME);
}

function parseWhole(text: string): number[] {
  return frames(text)
    .filter((_part, frame) => frame % BASELINE_EVERY === 0)
    .map((part) => timed(() => new Lexer({ gfm: true }).lex(part)) / TOKENS_PER_FRAME);
}

/** The text in each frame. */
function frames(text: string): string[] {
  const step = splitTokens(text).slice(0, TOKENS_PER_FRAME).join('').length;
  return Array.from({ length: Math.ceil(text.length / step) }, (_, frame) => text.slice(0, (frame + 1) * step));
}

function timed(work: () => unknown): number {
  const from = performance.now();
  work();
  return 1000 * (performance.now() - from);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

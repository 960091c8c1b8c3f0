import { Lexer } from 'marked';
import { IncrementalMarkdown } from '../../packages/web/src/lib/markdown/incremental.ts';
import type { Figure } from '../harness/figure.ts';
import { figure } from '../harness/figure.ts';
import { median, quantile } from '../support/quantile.ts';
import { sampleMarkdown, tokensOf } from '../support/sample-markdown.ts';
import type { Context } from './visitor.ts';

const SIZE = 60_000;
/** The baseline needs minutes for every token. */
const BASELINE_EVERY = 50;

/** The parser of the page without a browser, for every token of an answer of 60 kB, beside `marked` on the whole text. */
export function measureParse({ options, say }: Context): Figure[] {
  const rounds = options.quick ? 2 : 5;
  const own: number[] = [];
  const whole: number[] = [];
  let worst = 0;
  for (let round = -1; round < rounds; round++) {
    say(round < 0 ? 'warming up' : `round ${String(round + 1)} of ${String(rounds)}`);
    const page = parseAll();
    const baseline = parseWhole();
    if (round < 0) continue;
    own.push(mean(page));
    whole.push(mean(baseline));
    worst = Math.max(worst, quantile(page, 0.99));
  }
  return [
    figure('parsing one token of a 60 kB answer', median(own), 'µs', { atMost: 20, of: { p99Us: worst } }),
    figure('baseline: the lexer of marked on the whole text, one token', median(whole), 'µs'),
  ];
}

/** Microseconds for each token. */
function parseAll(): number[] {
  const parser = new IncrementalMarkdown();
  let text = '';
  return tokensOf(sampleMarkdown(SIZE)).map((token) => {
    text += token;
    return timed(() => parser.update(text));
  });
}

function parseWhole(): number[] {
  let text = '';
  return tokensOf(sampleMarkdown(SIZE)).flatMap((token, index) => {
    text += token;
    return index % BASELINE_EVERY === 0 ? [timed(() => new Lexer({ gfm: true }).lex(text))] : [];
  });
}

function timed(work: () => unknown): number {
  const from = performance.now();
  work();
  return 1000 * (performance.now() - from);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

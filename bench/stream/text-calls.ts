import { createToolCallTextParser } from '../../packages/model-runtime/src/tool-call-text/index.ts';
import type { Figure } from '../harness/figure.ts';
import { figure } from '../harness/figure.ts';
import { median } from '../harness/quantile.ts';

const PROSE =
  'The quick brown fox jumps over the lazy dog, and after that it looks for a place to rest; see "notes" for more.\n\n' +
  '- one item\n- another, with x < 3 and arr[0] in it\n\n';
const MARKDOWN =
  'Some *text* with `code`, {braces} and [a link](http://example.com), then a list:\n\n- one\n- <b>two</b>\n\n' +
  '```ts\nconst a = { b: [1, 2] };\n```\n\n';
const ROUNDS = 7;
/** Milliseconds for 20 MB of plain text. */
const MOST_FOR_PROSE = 1000;

type Work = { name: string; text: string; piece: number };

const call = JSON.stringify({ name: 'write', arguments: { text: 'a line of "text"\n'.repeat(55_000) } });
const WORK: readonly Work[] = [
  { name: 'prose-20mb', text: fill(PROSE, 20_000_000), piece: 4096 },
  { name: 'prose', text: fill(PROSE, 1_000_000), piece: 4 },
  { name: 'markdown', text: fill(MARKDOWN, 1_000_000), piece: 4 },
  { name: 'one-call', text: `<tool_call>${call}</tool_call>`, piece: 4 },
  { name: 'hostile', text: fill('<tool_call>{"a":"x</tool_call>', 1_000_000), piece: 4 },
];

function fill(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

/** Parses the text once. Returns milliseconds. */
function measure(pieces: readonly string[]): number {
  const parser = createToolCallTextParser({ tools: [{ name: 'write', inputSchema: {} }] });
  const start = performance.now();
  for (const piece of pieces) parser.push(piece);
  parser.end();
  return performance.now() - start;
}

/** Cost of parsing text tool calls. */
export function measureTextCalls(): Figure[] {
  return WORK.map(({ name, text, piece }) => {
    const pieces = Array.from({ length: Math.ceil(text.length / piece) }, (_, at) =>
      text.slice(at * piece, (at + 1) * piece),
    );
    const ms = median(Array.from({ length: ROUNDS }, () => measure(pieces)));
    return figure(`${name}: ${text.length / 1e6} million characters in pieces of ${piece}`, ms, 'ms', {
      ...(name === 'prose-20mb' ? { atMost: MOST_FOR_PROSE } : {}),
      of: { nsPerPiece: Math.round((ms * 1e6) / pieces.length) },
    });
  });
}

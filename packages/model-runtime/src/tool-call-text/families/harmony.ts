import type { Block } from '../core/block.ts';
import { toArguments } from '../core/call-object.ts';
import type { Family } from '../core/family.ts';
import { readJson } from '../core/json-scanner.ts';
import { parseLenient } from '../core/literal.ts';
import { DONE, type Opening, type Section, type Verdict } from '../core/opening.ts';
import { more, readUntil, skipBlanks, type Reading } from '../core/reading.ts';
import { leave, swallow } from '../thinking.ts';
import { stepBackToHidden } from '../readers/json-block.ts';

const MESSAGE = '<|message|>';
const CHANNEL = '<|channel|>';
const START = '<|start|>';
const ENDS = ['<|call|>', '<|end|>', '<|return|>'];
const OPEN_BRACE = 123;
/** Longer is no header: a role, a recipient, a channel, the kind of content. */
const MAX_HEADER = 300;

/** Ends a section without taking its marker: it begins the next message. */
function leaveBefore(marker: string): Opening {
  return {
    marker,
    *read(block) {
      block.source.seek(block.start);
      return { type: 'leave' };
    },
  };
}

const analysis: Section = {
  kind: 'reasoning',
  openings: [...ENDS.map((marker): Opening => ({ marker, read: leave })), leaveBefore(START), leaveBefore(CHANNEL)],
};
const answer: Section = { kind: 'text', openings: ENDS.map((marker): Opening => ({ marker, read: leave })) };

/** Reads a message: its header says whether it is thinking, an answer or a call. */
function* readMessage(block: Block): Reading<Verdict> {
  const { source } = block;
  const header = yield* readHeader(block);
  if (header === null) return { type: 'text', upTo: block.body };
  if (header === 'cut') {
    block.malformed('the message is cut off', block.start);
    return DONE;
  }
  const channel = [...header.matchAll(/<\|channel\|>\s*(\w+)/g)].at(-1)?.[1];
  const recipient = /\bto=([^\s<]+)/.exec(header)?.[1];
  if (recipient === undefined || recipient === 'assistant' || recipient === 'user' || recipient === 'all') {
    return { type: 'enter', section: channel === 'analysis' ? analysis : answer };
  }
  const name = recipient.replace(/^functions\./, '');
  if (name === recipient && !block.tools.has(name)) {
    const stop = yield* readUntil(source, [...ENDS, START]);
    if (stop?.marker === START) source.seek(stop.at);
    block.malformed(`"${recipient.slice(0, 80)}" is a tool nobody offered`, block.start);
    return DONE;
  }
  yield* readCall(block, name);
  return DONE;
}

/** Reads to behind `<|message|>`; null where what stands here is no header. */
function* readHeader({ source, start }: Block): Reading<string | 'cut' | null> {
  for (;;) {
    if (!(yield* more(source))) {
      return source.text(start, source.position).trimStart().startsWith('<|') ? 'cut' : null;
    }
    const text = source.text(start, source.position);
    if (text.endsWith(MESSAGE)) return isHeader(text) ? text : null;
    if (text.length > MAX_HEADER) return null;
    source.advance();
  }
}

const HEADER = /^(?:<\|start\|>[\w.-]*|<\|channel\|>\w*|to=\S+)(?:\s*(?:<\|channel\|>\s*\w+|<\|constrain\|>\s*\w+|to=[^\s<]+|\w+))*\s*<\|message\|>$/;

function isHeader(text: string): boolean {
  return HEADER.test(text);
}

function* readCall(block: Block, name: string): Reading<void> {
  const { source } = block;
  const code = yield* skipBlanks(source);
  const from = source.position;
  let problem: string | null = null;
  if (code === OPEN_BRACE) {
    const json = yield* readJson(source);
    const parsed = json.kind === 'whole' ? parseLenient(json.text) : null;
    const args = parsed?.ok === true ? toArguments(parsed.value) : null;
    if (args === null) problem = json.kind === 'cut' ? 'the JSON of the call is cut off' : 'the arguments are not JSON';
    else block.call(name, args);
    if (args === null) stepBackToHidden(source, from, [...ENDS, START]);
  }
  const rest = source.position;
  const stop = yield* readUntil(source, [...ENDS, START]);
  if (stop?.marker === START) source.seek(stop.at);
  if (problem === null && code !== OPEN_BRACE) {
    const body = source.text(rest, stop?.at ?? source.position).trim();
    if (body === '' && stop !== null) block.call(name, {});
    else problem = body === '' ? 'the call is cut off' : 'the arguments are not JSON';
  }
  if (problem !== null) block.malformed(problem, block.start);
}

/**
 * Messages with a header each: `<|channel|>analysis<|message|>` is thinking, `final` the answer, and what goes
 * `to=functions.f` a call. GPT-OSS.
 */
export const harmony: Family = {
  openings: [
    { marker: CHANNEL, read: readMessage },
    { marker: START, read: readMessage },
    { marker: 'to=', place: 'lead', read: readMessage },
    ...ENDS.map((marker): Opening => ({ marker, place: 'after_call', read: swallow })),
  ],
  write: (calls) =>
    calls
      .map(
        ({ name, arguments: args }) =>
          `<|start|>assistant<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${JSON.stringify(args)}<|call|>`,
      )
      .join(''),
};

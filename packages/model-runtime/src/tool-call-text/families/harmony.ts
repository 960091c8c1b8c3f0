import { readArguments } from '../core/arguments.ts';
import type { Block } from '../core/block.ts';
import type { Family } from '../core/family.ts';
import { DONE, type Opening, type Section, type Verdict } from '../core/opening.ts';
import { more, readUntil, skipBlanks, type Reading } from '../core/reading.ts';
import { leave, swallow } from '../thinking.ts';

const MESSAGE = '<|message|>';
const CHANNEL = '<|channel|>';
const START = '<|start|>';
const ENDS = ['<|call|>', '<|end|>', '<|return|>'];
/** No header at all: the text is over in it. */
const CUT = '';
const STOPS = [...ENDS, START];
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
  if (header === CUT) {
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
    const stop = yield* readUntil(source, STOPS);
    if (stop?.marker === START) source.seek(stop.at);
    block.malformed(`"${recipient.slice(0, 80)}" is a tool nobody offered`, block.start);
    return DONE;
  }
  yield* readCall(block, name);
  return DONE;
}

/** Reads to behind `<|message|>`; null where what stands here is no header. */
function* readHeader({ source, start }: Block): Reading<string | null> {
  for (;;) {
    if (!(yield* more(source))) {
      return source.text(start, source.position).trimStart().startsWith('<|') ? CUT : null;
    }
    const text = source.text(start, source.position);
    if (text.endsWith(MESSAGE)) return isHeader(text) ? text : null;
    if (text.length > MAX_HEADER) return null;
    source.advance();
  }
}

const HEADER =
  /^(?:<\|start\|>[\w.-]*|<\|channel\|>\w*|to=\S+)(?:\s*(?:<\|channel\|>\s*\w+|<\|constrain\|>\s*\w+|to=[^\s<]+|\w+))*\s*<\|message\|>$/;

function isHeader(text: string): boolean {
  return HEADER.test(text);
}

function* readCall(block: Block, name: string): Reading<void> {
  const { source } = block;
  const code = yield* skipBlanks(source);
  const from = source.position;
  const read = code === OPEN_BRACE ? yield* readArguments(source, STOPS) : null;
  if (read?.ok === true) block.call(name, read.arguments);

  const stop = yield* readUntil(source, STOPS);
  if (stop?.marker === START) source.seek(stop.at);
  if (read?.ok === false) block.malformed(read.reason, block.start);
  if (read !== null) return;
  const isEmpty = source.text(from, stop?.at ?? source.position).trim() === '';
  if (isEmpty && stop !== null) block.call(name, {});
  else block.malformed(isEmpty ? 'the call is cut off' : 'the arguments are not JSON', block.start);
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

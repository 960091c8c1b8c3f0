import { readArguments } from '../core/arguments.ts';
import { READER_DONE, type TextBlock } from '../core/block.ts';
import type { Family } from '../core/family.ts';
import type { Opening, Section, ReaderVerdict } from '../core/opening.ts';
import { isCutOff, readName, readMarker, readUntil, skipBlanks, type TextReading } from '../core/reading.ts';
import { NO_CHARACTER } from '../core/source.ts';
import { closeSection, dropMarker } from '../thinking.ts';
import { LESS_THAN, OPEN_BRACE } from '../core/codes.ts';

const MESSAGE = '<|message|>';
const CHANNEL = '<|channel|>';
const START = '<|start|>';
const ENDS = ['<|call|>', '<|end|>', '<|return|>'];
const STOPS = [...ENDS, START];
const CONSTRAIN = '<|constrain|>';
const RECIPIENT = 'to=';
const CHANNELS = ['analysis', 'commentary', 'final'];
const BEGINNINGS = [`${START}assistant`, CHANNEL, RECIPIENT];
const TOKENS = [MESSAGE, CHANNEL, CONSTRAIN, RECIPIENT, 'json', 'code'];
/** Recipients that are not tools. */
const NON_TOOLS: ReadonlySet<string> = new Set(['assistant', 'user', 'all']);

/** Ends a section without consuming its marker, which starts the next message. */
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
  openings: [
    ...ENDS.map((marker): Opening => ({ marker, read: closeSection })),
    leaveBefore(START),
    leaveBefore(CHANNEL),
  ],
};
const answer: Section = { kind: 'text', openings: ENDS.map((marker): Opening => ({ marker, read: closeSection })) };

/** Recipient and channel of a header. `cut`: the text ends within it. */
type Header = { channel: string | null; recipient: string | null } | 'cut' | null;

/** Reads a message: its header determines whether it is thinking, an answer or a call. */
function* readMessage(block: TextBlock): TextReading<ReaderVerdict> {
  const { source } = block;
  const header = yield* readHeader(block);
  if (header === null) return { type: 'text', upTo: block.body };
  if (header === 'cut') return block.cutOff('the message is cut off');
  const { channel, recipient } = header;
  if (recipient === null || NON_TOOLS.has(recipient)) {
    return { type: 'enter', section: channel === 'analysis' ? analysis : answer };
  }
  const name = recipient.replace(/^functions\./, '');
  if (name === recipient && !block.tools.has(name)) {
    const stop = yield* readUntil(source, STOPS);
    if (stop?.marker === START) source.seek(stop.at);
    return block.malformed(`"${recipient.slice(0, 80)}" is not an offered tool`, block.start);
  }
  yield* readCall(block, name);
  return READER_DONE;
}

/** Reads past `<|message|>`; null if there is no header here. */
function* readHeader({ source, start }: TextBlock): TextReading<Header> {
  let channel: string | null = null;
  let recipient: string | null = null;
  source.seek(start);
  for (;;) {
    yield* skipBlanks(source);
    const at = source.position;
    const token = yield* readMarker(source, at === start ? BEGINNINGS : TOKENS);
    if (token === MESSAGE) return { channel, recipient };
    if (token === CHANNEL) {
      yield* skipBlanks(source);
      channel = yield* readMarker(source, CHANNELS);
    } else if (token === RECIPIENT) {
      recipient = yield* readName(source, (code) => code > 32 && code !== LESS_THAN);
    } else if (token === CONSTRAIN) {
      yield* skipBlanks(source);
      yield* readName(source);
    }
    if (token !== null && (token !== CHANNEL || channel !== null) && source.peek() !== NO_CHARACTER) continue;
    const isFramed = source.textFrom(start, 2) === '<|';
    const next = token === CHANNEL ? CHANNELS : at === start ? BEGINNINGS : TOKENS;
    if (isFramed && (yield* isCutOff(source, next))) return 'cut';
    if (token === null || (token === CHANNEL && channel === null)) return null;
  }
}

function* readCall(block: TextBlock, name: string): TextReading<void> {
  const { source } = block;
  const code = yield* skipBlanks(source);
  const from = source.position;
  const read = code === OPEN_BRACE ? yield* readArguments(source, { ends: ENDS, starts: [START] }) : null;
  if (read?.ok === true) block.call(name, read.arguments);

  const stop = yield* readUntil(source, STOPS);
  if (stop?.marker === START) source.seek(stop.at);
  if (read?.ok === false) block.malformed(read.reason, block.start);
  if (read !== null) return;
  const isEmpty = source.text(from, stop?.at ?? source.position).trim() === '';
  if (isEmpty && stop !== null) block.call(name, {});
  else block.malformed(isEmpty ? 'the call is cut off' : 'the arguments are not JSON', block.start);
}

/** Reads a message that is no call. */
function* readTextMessage(block: TextBlock): TextReading<ReaderVerdict> {
  const header = yield* readHeader(block);
  if (header === null || header === 'cut') return { type: 'text', upTo: block.body };
  if (header.recipient !== null && !NON_TOOLS.has(header.recipient)) return { type: 'text', upTo: block.body };
  return { type: 'enter', section: header.channel === 'analysis' ? analysis : answer };
}

/** The thinking and the answer of such messages, for requests without tools: calls in them are text. */
export const harmonyText: Family = {
  openings: [CHANNEL, START].map((marker): Opening => ({ marker, read: readTextMessage })),
  write: () => '',
};

/**
 * Messages with a header: `<|channel|>analysis<|message|>` is thinking, `final` the answer, and a message
 * `to=functions.f` a call. GPT-OSS.
 */
export const harmony: Family = {
  openings: [
    { marker: CHANNEL, read: readMessage },
    { marker: START, read: readMessage },
    { marker: 'to=', place: 'lead', read: readMessage },
    ...ENDS.map((marker): Opening => ({ marker, place: 'after_call', read: dropMarker })),
  ],
  write: (calls) =>
    calls
      .map(
        ({ name, arguments: args }) =>
          `<|start|>assistant<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${JSON.stringify(args)}<|call|>`,
      )
      .join(''),
};

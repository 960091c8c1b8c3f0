import type { StreamPart } from '../types.ts';
import { haveSameArguments, isWithoutArguments, readArguments } from './arguments.ts';

/** A call of an answer, as far as it has arrived. */
export type AnswerCall = {
  id: string;
  name: string;
  /** The pieces of its arguments, joined. */
  text: string;
  /** Its complete arguments, where the server sends them besides the pieces. */
  whole: string;
  /** Parts to emit right before it. */
  before: StreamPart[];
  readonly progress: Progress;
};

type Progress = {
  /** Position among the calls; -1 until it is announced. */
  index: number;
  /** The call that this one seems to repeat; it is not announced until it proves to be another. */
  repeats: AnswerCall | null;
  closed: boolean;
  /** The answer was truncated within the call. */
  cut: boolean;
  emitted: boolean;
  /** The last two pieces. */
  tail: [previous: string, last: string];
};

/**
 * The native calls of one answer.
 *
 * Rule: one call is one call, however often its pieces are sent. Two calls are different if their ids or names differ,
 * or the arguments of both; where neither has an id, their indexes decide.
 */
export class AnswerCalls {
  readonly #calls: AnswerCall[] = [];
  #announced = 0;

  /** Number of different calls so far. */
  get count(): number {
    return this.#calls.filter(({ progress }) => progress.repeats === null).length;
  }

  get last(): AnswerCall | undefined {
    return this.#calls.at(-1);
  }

  /** The latest call with this id. */
  find(id: string): AnswerCall | undefined {
    return this.#calls.findLast((call) => call.id === id);
  }

  /** Starts a call, or continues the one whose start is repeated. `repeats`: the call it repeats unless it differs. */
  open(id: string, name: string, repeats: AnswerCall | null = null): AnswerCall {
    const earlier = repeats ?? this.#withSameId(id, name);
    if (earlier !== null && !earlier.progress.emitted && earlier.text === '' && earlier.whole === '') {
      earlier.progress.closed = false;
      return earlier;
    }
    const progress: Progress = {
      index: -1,
      repeats: earlier === null ? null : (earlier.progress.repeats ?? earlier),
      closed: false,
      cut: false,
      emitted: false,
      tail: ['', ''],
    };
    const call: AnswerCall = { id, name, text: '', whole: '', before: [], progress };
    this.#calls.push(call);
    return call;
  }

  /** Shows the call, if its name is known. */
  announce({ id, name, text, progress }: AnswerCall, out: StreamPart[]): void {
    if (progress.index !== -1 || progress.repeats !== null || name === '') return;
    progress.index = this.#announced;
    this.#announced += 1;
    out.push({ type: 'tool_call_start', index: progress.index, ...idField(id), name });
    // Arguments may arrive before the name.
    if (text !== '') out.push({ type: 'tool_call_delta', index: progress.index, argumentsText: text });
  }

  isAnnounced({ progress }: AnswerCall): boolean {
    return progress.index !== -1;
  }

  /** Adds a piece of the arguments. */
  append(call: AnswerCall, argumentsText: string, out: StreamPart[]): void {
    const { progress } = call;
    if (argumentsText === '' || progress.emitted) return;
    call.text += argumentsText;
    progress.tail = [progress.tail[1], argumentsText];
    if (progress.index !== -1) out.push({ type: 'tool_call_delta', index: progress.index, argumentsText });
  }

  /** Marks a call as complete, and emits all calls that are certain, in order. */
  close(call: AnswerCall, cut: boolean, out: StreamPart[]): void {
    call.progress.closed = true;
    call.progress.cut ||= cut;
    for (const each of this.#calls) {
      if (each.progress.emitted) continue;
      // Its start may be repeated with the arguments, at another place.
      const isOpen = !each.progress.closed || (each.id !== '' && isWithoutArguments(getText(each)));
      if (isOpen || each.progress.repeats !== null) return;
      this.#emit(each, out);
    }
  }

  /** Emits all calls. `cut`: the answer ended at the token limit, so empty arguments may be truncated ones. */
  finish(cut: boolean, out: StreamPart[]): void {
    for (const call of this.#calls) if (call.progress.repeats !== null) settle(call, call.progress.repeats);
    for (const call of this.#calls) {
      if (call.progress.emitted) continue;
      call.progress.cut ||= cut;
      this.announce(call, out);
      this.#emit(call, out);
    }
  }

  #emit(call: AnswerCall, out: StreamPart[]): void {
    const { id, name, text, whole, before, progress } = call;
    progress.emitted = true;
    if (progress.repeats !== null) return;
    const argumentsText = getText(call);
    if (name === '') {
      out.push({ type: 'malformed_tool_call', raw: argumentsText, reason: 'the call has no name' });
      return;
    }
    const { index } = progress;
    if (text === '' && whole !== '') out.push({ type: 'tool_call_delta', index, argumentsText: whole });
    const args = readArguments(argumentsText, progress.cut);
    out.push(...before, { type: 'tool_call', index, ...idField(id), name, arguments: args, argumentsText });
  }

  #withSameId(id: string, name: string): AnswerCall | null {
    if (id === '') return null;
    const isSame = (call: AnswerCall): boolean =>
      call.id === id && (call.name === name || call.name === '' || name === '');
    return this.#calls.findLast(isSame) ?? null;
  }
}

/** Decides whether a call repeats an earlier one. If only the repetition has arguments, the earlier call gets them. */
function settle(call: AnswerCall, earlier: AnswerCall): void {
  if (!haveSameArguments(getText(earlier), getText(call))) call.progress.repeats = null;
  else if (!earlier.progress.emitted && lacksArguments(getText(earlier))) earlier.whole = getText(call);
}

/**
 * The text of a call's arguments: the joined pieces if they are readable. Otherwise the last piece, if the server sends
 * all so far with each piece, or the complete arguments it sent besides.
 */
function getText({ text, whole, progress }: AnswerCall): string {
  if (whole !== '' && isWithoutArguments(text)) return whole;
  if (isReadable(text)) return text;
  const [previous, last] = progress.tail;
  if (previous !== '' && last.startsWith(previous) && isReadable(last)) return last;
  return isReadable(whole) ? whole : text;
}

function lacksArguments(text: string): boolean {
  return isWithoutArguments(text) || !isReadable(text);
}

function isReadable(text: string): boolean {
  return readArguments(text, true) !== null;
}

function idField(id: string): { id?: string } {
  return id === '' ? {} : { id };
}

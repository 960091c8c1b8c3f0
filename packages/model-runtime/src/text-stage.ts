import { createNotice } from './create-notice.ts';
import { defined, say, type ToolDefinition, type ToolMode } from '@toolyard/protocol';
import { createReasoningSplitter, createToolCallTextParser } from './tool-call-text/create-parser.ts';
import type { TextCallPart, ToolCallTextParser } from './tool-call-text/types.ts';
import { findPosition } from './text-position.ts';
import type { StreamPart, WrittenAsText } from './types.ts';

type TextCall = Exclude<TextCallPart, { type: 'text' } | { type: 'reasoning' }> & { at: number };

export type TextStageOptions = {
  tools: readonly ToolDefinition[];
  /** How the tools were offered to the model. */
  toolMode: ToolMode;
  startsInReasoning?: boolean;
  /** Generates ids for calls found in text. Without it they have none: the provider gave none. */
  newId?: () => string;
};

/**
 * Processes the text of an answer: separates thinking from text and, if tools are offered, parses calls written as
 * text. Calls are emitted at the end of the answer, because a later native call replaces them.
 */
export class TextStage {
  readonly #parser: ToolCallTextParser;
  readonly #calls: TextCall[] = [];
  readonly #named: boolean;
  readonly #toolMode: ToolMode;
  /** The text as the model wrote it, and the ranges of it that are calls, one for each call. */
  readonly #pieces: string[] = [];
  readonly #ranges: { start: number; end: number }[] = [];
  /** Number of characters of text emitted so far. */
  #shown = 0;

  constructor(options: TextStageOptions) {
    this.#named = options.newId !== undefined;
    this.#toolMode = options.toolMode;
    const { startsInReasoning = false } = options;
    this.#parser =
      options.tools.length === 0
        ? createReasoningSplitter({ startsInReasoning })
        : createToolCallTextParser({
            tools: options.tools,
            startsInReasoning,
            onBlock: (start, end, calls) => {
              for (let call = 0; call < calls; call += 1) this.#ranges.push({ start, end });
            },
            ...defined({ newId: options.newId }),
          });
  }

  /** Adds the next piece of text; appends what is certain to `out`. */
  push(text: string, out: StreamPart[]): void {
    this.#pieces.push(text);
    this.#sort(this.#parser.push(text), out);
  }

  /**
   * Ends the answer: appends the buffered text, then the calls, numbered from 0. Returns the number of calls. If the
   * answer has native calls, calls written as text are duplicates of them and are dropped.
   */
  end(nativeCalls: number, out: StreamPart[]): number {
    this.#sort(this.#parser.end(), out);
    if (this.#calls.length === 0) return 0;
    if (nativeCalls > 0) {
      out.push(
        createNotice(
          'text_calls_dropped',
          say`Ignored ${this.#calls.length} tool call(s) written as text, because the answer also has native calls.`,
        ),
      );
      return 0;
    }
    let index = 0;
    const whole = this.#pieces.join('');
    for (const [number, { at, ...call }] of this.#calls.entries()) {
      const text = this.#writtenAs(whole, number, at);
      if (call.type === 'malformed_tool_call') {
        out.push({ ...call, text });
        continue;
      }
      const id = this.#named ? { id: call.id } : {};
      const argumentsText = JSON.stringify(call.arguments);
      out.push({ type: 'tool_call_start', index, ...id, name: call.name, isText: true });
      out.push({ type: 'tool_call', index, ...id, name: call.name, arguments: call.arguments, argumentsText, text });
      index += 1;
    }
    return index;
  }

  #writtenAs(whole: string, number: number, at: number): WrittenAsText {
    const { start, end } = this.#ranges[number] ?? { start: 0, end: 0 };
    const before = whole.slice(0, start);
    const raw = whole.slice(start, end);
    const blank = before.slice(before.trimEnd().length);
    return { raw: blank + raw, at, toolMode: this.#toolMode, ...defined({ position: findPosition(before, raw) }) };
  }

  /**
   * Ends an interrupted answer: appends the buffered text. Calls are shown as started, like native ones, never as
   * complete.
   */
  breakOff(nativeCalls: number, out: StreamPart[]): void {
    this.#sort(this.#parser.end(), out);
    let index = nativeCalls;
    for (const { at: _at, ...call } of this.#calls) {
      if (call.type === 'malformed_tool_call') {
        out.push(call);
        continue;
      }
      out.push({ type: 'tool_call_start', index, ...(this.#named ? { id: call.id } : {}), name: call.name });
      out.push({ type: 'tool_call_delta', index, argumentsText: JSON.stringify(call.arguments) });
      index += 1;
    }
  }

  #sort(parts: readonly TextCallPart[], out: StreamPart[]): void {
    for (const part of parts) {
      if (part.type === 'text') this.#shown += part.text.length;
      if (part.type === 'text' || part.type === 'reasoning') out.push(part);
      else this.#calls.push({ ...part, at: this.#shown });
    }
  }
}

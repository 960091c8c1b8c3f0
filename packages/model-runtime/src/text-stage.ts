import type { ToolDefinition } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { createReasoningSplitter, createToolCallTextParser } from './tool-call-text/create-parser.ts';
import type { TextCallPart, ToolCallTextParser } from './tool-call-text/types.ts';
import type { StreamPart } from './types.ts';

type TextCall = Exclude<TextCallPart, { type: 'text' } | { type: 'reasoning' }>;

export type TextStageOptions = {
  tools: readonly ToolDefinition[];
  startsInReasoning?: boolean;
  /** Names calls found in text. Without it they have no id: the provider gave none. */
  newId?: () => string;
};

/**
 * What happens to the text of an answer on its way out: thinking is told from text, and where tools are offered, calls
 * written as text are found. Calls wait for the end of the answer, since a native call coming later makes them void.
 */
export class TextStage {
  readonly #parser: ToolCallTextParser;
  readonly #calls: TextCall[] = [];
  readonly #named: boolean;

  constructor(options: TextStageOptions) {
    this.#named = options.newId !== undefined;
    const { startsInReasoning = false } = options;
    this.#parser =
      options.tools.length === 0
        ? createReasoningSplitter({ startsInReasoning })
        : createToolCallTextParser({
            tools: options.tools,
            startsInReasoning,
            ...defined({ newId: options.newId }),
          });
  }

  /** Takes the next piece of text and adds to `out` what is certain. */
  push(text: string, out: StreamPart[]): void {
    this.#sort(this.#parser.push(text), out);
  }

  /**
   * The answer is whole: adds what was held back, then the calls, numbered from 0. Returns how many calls there are.
   * With `nativeCalls` of the same answer, calls written as text are the same ones said twice, and are left out.
   */
  end(nativeCalls: number, out: StreamPart[]): number {
    this.#sort(this.#parser.end(), out);
    if (this.#calls.length === 0) return 0;
    if (nativeCalls > 0) {
      out.push({
        type: 'notice',
        code: 'text_calls_dropped',
        text: `The model also wrote ${this.#calls.length} tool call(s) as text; only its native calls count.`,
      });
      return 0;
    }
    let index = 0;
    for (const call of this.#calls) {
      if (call.type === 'malformed_tool_call') {
        out.push(call);
        continue;
      }
      const id = this.#named ? { id: call.id } : {};
      const argumentsText = JSON.stringify(call.arguments);
      out.push({ type: 'tool_call_start', index, ...id, name: call.name });
      out.push({ type: 'tool_call', index, ...id, name: call.name, arguments: call.arguments, argumentsText });
      index += 1;
    }
    return index;
  }

  /** The answer broke off: adds what was held back. Calls are shown as begun, as native ones are, never as whole. */
  breakOff(nativeCalls: number, out: StreamPart[]): void {
    this.#sort(this.#parser.end(), out);
    let index = nativeCalls;
    for (const call of this.#calls) {
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
      if (part.type === 'text' || part.type === 'reasoning') out.push(part);
      else this.#calls.push(part);
    }
  }
}

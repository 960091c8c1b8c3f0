import { pause, textOf, type ErrorInfo, type Usage } from '@toolyard/protocol';
import { throwIfAborted } from '../abort.ts';
import { withCallbacks } from '../chat-callbacks.ts';
import { renderTextCalls } from '../tool-call-text/describe.ts';
import { TextStage } from '../text-stage.ts';
import type { CallOptions, ChatOptions, ChatRequest, StreamPart } from '../types.ts';
import { demoAnswer } from './answers.ts';
import { DEMO_MODELS } from './models.ts';
import type { DemoCall, DemoOptions } from './types.ts';
import { WORDING } from './wording.ts';

/** Pause between two words of `/slow`, in milliseconds. */
const SLOW_PAUSE_MS = 100;

/** Characters in one piece of a streamed text. */
const PIECE = 8;

/** Streams the demo's answer to a request. */
export function demoChat(
  options: DemoOptions,
  request: ChatRequest,
  chatOptions: ChatOptions,
): AsyncIterable<readonly StreamPart[]> {
  return withCallbacks(answerParts(options, request, chatOptions), chatOptions.callback);
}

async function* answerParts(
  { clock, newId }: DemoOptions,
  request: ChatRequest,
  options: CallOptions,
): AsyncGenerator<readonly StreamPart[], void, undefined> {
  throwIfAborted(options.signal);
  if (!DEMO_MODELS.some((model) => model.id === request.model)) {
    yield [{ type: 'error', error: unknownModel(request.model) }];
    return;
  }
  const answer = demoAnswer(request);
  if (answer.kind === 'fail') {
    yield [{ type: 'error', error: answer.error }];
    return;
  }
  const asText = request.model === 'demo-text' || request.toolMode === 'text';
  const text = new AnswerText(asText ? new TextStage({ tools: request.tools, toolMode: 'text', newId: newId }) : null);
  if (answer.kind === 'slow') {
    for (let word = 1; word <= answer.wordCount; word += 1) {
      if (word > 1) await pause(clock, SLOW_PAUSE_MS, options.signal);
      yield* text.piece(`word ${word} of ${answer.wordCount}${word === answer.wordCount ? '.\n\n' : ', '}`);
    }
    yield* text.piece(WORDING.en.note);
  } else {
    const calls = answer.kind === 'call' ? answer.calls : [];
    for (const piece of pieces(asText ? withTextCalls(answer.text, calls) : answer.text)) {
      throwIfAborted(options.signal);
      yield* text.piece(piece);
    }
    if (!asText) yield* nativeCalls(calls, newId, options.signal);
    if (calls.length > 0) text.calls = calls.length;
  }
  throwIfAborted(options.signal);
  yield text.end(request);
}

function* nativeCalls(
  calls: readonly DemoCall[],
  newId: () => string,
  signal: AbortSignal | undefined,
): Generator<readonly StreamPart[]> {
  let index = 0;
  for (const { name, arguments: args, argumentsText } of calls) {
    const id = newId();
    yield [{ type: 'tool_call_start', index, id, name }];
    for (const piece of pieces(argumentsText)) {
      throwIfAborted(signal);
      yield [{ type: 'tool_call_delta', index, argumentsText: piece }];
    }
    yield [{ type: 'tool_call', index, id, name, arguments: args, argumentsText }];
    index += 1;
  }
}

/** Streams the text of one answer and counts its tokens. */
class AnswerText {
  calls = 0;
  #written = '';
  readonly #stage: TextStage | null;

  constructor(stage: TextStage | null) {
    this.#stage = stage;
  }

  /** The batch for a piece of text; none while all of it is buffered. */
  *piece(text: string): Generator<readonly StreamPart[]> {
    this.#written += text;
    const out: StreamPart[] = [];
    if (this.#stage === null) out.push({ type: 'text', text });
    else this.#stage.push(text, out);
    if (out.length > 0) yield out;
  }

  /** The buffered text, the usage and the finish. */
  end(request: ChatRequest): StreamPart[] {
    const out: StreamPart[] = [];
    const found = this.#stage === null ? this.calls : this.#stage.end(0, out);
    out.push({ type: 'usage', usage: countUsage(request, this.#written, this.#stage === null ? this.calls : 0) });
    out.push({ type: 'finish', reason: found > 0 ? 'tool_calls' : 'stop' });
    return out;
  }
}

function withTextCalls(text: string, calls: readonly DemoCall[]): string {
  const blocks = calls.map((call) => {
    if (call.arguments !== null) return renderTextCalls([{ name: call.name, arguments: call.arguments }], 'hermes');
    return `<tool_call>\n{"name": ${JSON.stringify(call.name)}, "arguments": ${call.argumentsText}}\n</tool_call>`;
  });
  return [text, ...blocks].filter((piece) => piece !== '').join('\n');
}

/** Splits a text into small pieces at character boundaries. */
function* pieces(text: string): Generator<string> {
  const chars = [...text];
  for (let at = 0; at < chars.length; at += PIECE) yield chars.slice(at, at + PIECE).join('');
}

/** An estimated but reproducible token count, close to that of common models. */
function countUsage(request: ChatRequest, written: string, nativeCalls: number): Usage {
  let inputTokens = 0;
  for (const message of request.messages) {
    inputTokens += 4 + countTokens(textOf(message));
    if (message.role !== 'tool') continue;
    for (const part of message.parts[0].result.content) if (part.type === 'text') inputTokens += countTokens(part.text);
  }
  for (const tool of request.tools) inputTokens += 8 + countTokens(`${tool.name} ${tool.description ?? ''}`);
  return { inputTokens, outputTokens: countTokens(written) + 16 * nativeCalls };
}

function countTokens(text: string): number {
  const wide = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / 4);
}

function unknownModel(model: string): ErrorInfo {
  return {
    code: 'model_not_found',
    message: `The demo provider does not have the model "${model}".`,
    hint: `Available models: ${DEMO_MODELS.map((known) => known.id).join(', ')}. They are fixed rules, not language models.`,
  };
}

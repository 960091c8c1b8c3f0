import type {
  AssistantMessage,
  AssistantPart,
  ErrorInfo,
  FinishReason,
  RunJournal,
  TextCall,
  ToolCallPart,
  UnmadeCall,
  Usage,
  TranslatableText,
} from '@toolyard/protocol';
import { createErrorInfo, defined, say } from '@toolyard/protocol';
import type { PendingCall } from '@toolyard/agent-runtime';
import type { FittedArguments, ToolHost } from '@toolyard/mcp-host';
import { fitArguments } from '@toolyard/mcp-host';
import type { StreamPart, WrittenAsText } from '@toolyard/model-runtime';
import { parseLenient } from '@toolyard/model-runtime/tool-call-text';
import { nearestNames } from '../nearest-names.ts';
import type { TextCallJudge } from '../text-calls/judge-text-call.ts';
import type { RemovedPassage } from './restore-text.ts';
import { restoreText } from './restore-text.ts';

/** A growing text is flattened after this many characters and a quarter of its length. */
const JOIN_AFTER = 256;

/** Assembles an answer of a model from its stream, and writes it to the journal as it grows. */
export class StreamedMessage {
  readonly messageId: string;
  readonly #journal: RunJournal;
  readonly #tools: ToolHost;
  readonly #judge: TextCallJudge;
  readonly #parts: AssistantPart[] = [];
  /** Facts about calls written as text, by call. */
  readonly #textCalls = new Map<string, TextCall>();
  /** What looks like calls and is text. */
  readonly #removed: RemovedPassage[] = [];
  /** Calls in the text that are not made. */
  readonly unmadeCalls: UnmadeCall[] = [];
  /** Number of characters of text: when the answer was continued, and now. */
  #begun = 0;
  #shown = 0;
  /** Length of the flattened part of the growing text. */
  #joined = 0;
  #calls = 0;
  #usage: Usage | undefined;
  #cost: number | undefined;
  #finish: FinishReason | undefined;
  #error: ErrorInfo | undefined;

  constructor(messageId: string, journal: RunJournal, tools: ToolHost, judge: TextCallJudge) {
    this.messageId = messageId;
    this.#judge = judge;
    this.#journal = journal;
    this.#tools = tools;
  }

  /** The content before the answer was cut off, with which it begins. */
  beginWith(parts: readonly AssistantPart[]): void {
    for (const part of parts) {
      if (part.type === 'text' || part.type === 'reasoning') this.take({ type: part.type, text: part.text });
      const last = this.#parts.at(-1);
      if (part.type === 'reasoning' && part.signature !== undefined && last?.type === 'reasoning') {
        last.signature = part.signature;
      }
      if (part.type === 'image' || part.type === 'citation') this.#parts.push(part);
    }
    this.#begun = this.#shown;
  }

  take(part: StreamPart): void {
    const { messageId } = this;
    switch (part.type) {
      case 'text': {
        const last = this.#parts.at(-1);
        this.#shown += part.text.length;
        if (last?.type === 'text') this.#grow(last, part.text);
        else this.#begin({ type: 'text', text: part.text });
        this.#journal.append({ type: 'text_delta', messageId, text: part.text });
        return;
      }
      case 'reasoning': {
        const last = this.#parts.at(-1);
        if (last?.type === 'reasoning' && last.signature === undefined) this.#grow(last, part.text);
        else this.#begin({ type: 'reasoning', text: part.text });
        this.#journal.append({ type: 'reasoning_delta', messageId, text: part.text });
        return;
      }
      case 'reasoning_signature': {
        // A signature closes the reasoning right before it; otherwise it belongs to the next part.
        const last = this.#parts.at(-1);
        if (last?.type === 'reasoning' && last.signature === undefined) last.signature = part.signature;
        else this.#parts.push({ type: 'reasoning', text: '', signature: part.signature });
        return;
      }
      case 'image':
      case 'citation':
        this.#parts.push(part);
        return;
      case 'tool_call_start':
        // Whether text is a call is decided when it is complete.
        if (part.isText !== true) this.#started(part);
        return;
      case 'tool_call_delta':
        this.#journal.append({
          type: 'tool_call_delta',
          messageId,
          callId: this.#callId(part.index),
          argumentsText: part.argumentsText,
        });
        return;
      case 'tool_call': {
        const call = this.#toCall(part);
        if (part.text) {
          if (!this.#admit(call, part.text)) return;
          this.#started(part);
        }
        this.#parts.push(call);
        this.#journal.append({ type: 'tool_call_ready', messageId, call });
        return;
      }
      case 'malformed_tool_call': {
        if (part.text && this.#judge(part.text) === null) {
          this.#keepAsText(part.text);
          return;
        }
        const callId = `${messageId}.m${this.#calls++}`;
        const call = { type: 'malformed_tool_call', callId, raw: part.raw, reason: part.reason } as const;
        this.#parts.push(call);
        this.#journal.append({ type: 'tool_call_malformed', messageId, call });
        return;
      }
      case 'usage':
        this.#usage = part.usage;
        this.#cost = part.cost;
        return;
      case 'timing':
        return;
      case 'notice':
        this.#journal.append({ ...part, level: 'warning' });
        return;
      case 'finish':
        this.#finish = part.reason;
        return;
      case 'error':
        this.fail(part.error);
        return;
    }
  }

  #started({ index, name }: { index: number; name: string }): void {
    const { messageId } = this;
    this.#journal.append({ type: 'tool_call_started', messageId, callId: this.#callId(index), name });
  }

  /** False if the text is not a call. */
  #admit(call: ToolCallPart, text: WrittenAsText): boolean {
    const { callId, name, tool, arguments: args, problem } = call;
    const textCall = this.#judge(text, tool === null || problem ? undefined : { name, tool, arguments: args });
    if (textCall === null) {
      this.#keepAsText(text);
      if (tool !== null && !problem) this.unmadeCalls.push({ name, tool, arguments: args });
      return false;
    }
    call.isText = true;
    this.#textCalls.set(callId, textCall);
    return true;
  }

  #keepAsText({ raw, at }: WrittenAsText): void {
    const { messageId } = this;
    const last = this.#removed.at(-1);
    const passage = { at: this.#begun + at, raw };
    // Several calls may be one passage.
    if (last?.at === passage.at && last.raw === raw) return;
    this.#removed.push(passage);
    // Elsewhere it appears with the complete message.
    if (passage.at === this.#shown) this.#journal.append({ type: 'text_delta', messageId, text: raw });
  }

  #begin(part: { type: 'text' | 'reasoning'; text: string }): void {
    this.#parts.push(part);
    this.#joined = 0;
  }

  /**
   * V8 keeps strings built with `+=` as ropes, one node per delta. With many concurrent answers these were a fifth of
   * the heap to mark, pausing all runs. Flattening now and then keeps garbage collection cheap.
   */
  #grow(part: { text: string }, text: string): void {
    part.text += text;
    const { length } = part.text;
    if (length < this.#joined + Math.max(JOIN_AFTER, this.#joined / 4)) return;
    part.text.charCodeAt(0);
    this.#joined = length;
  }

  /** The stream failed: the text so far is kept, requested calls are not made. */
  fail(error: ErrorInfo): void {
    this.#error = error;
    this.#finish = 'error';
  }

  /** The run was stopped: likewise. */
  cancel(): void {
    this.#finish = 'cancelled';
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** US dollars, if the provider reported them. */
  get cost(): number | undefined {
    return this.#cost;
  }

  get error(): ErrorInfo | undefined {
    if (this.#error) return this.#error;
    if (this.#finish !== undefined) return undefined;
    return createErrorInfo({
      code: 'no_response',
      message: say`The model server sent a response without any choice.`,
      hint: say`Retry; if the error persists, check the log of the model server.`,
      retryable: true,
    });
  }

  get finishReason(): FinishReason {
    const reason = this.#finish ?? 'error';
    const hasCalls = this.#parts.some(({ type }) => type === 'tool_call' || type === 'malformed_tool_call');
    return reason === 'tool_calls' && this.#removed.length > 0 && !hasCalls ? 'stop' : reason;
  }

  get hasText(): boolean {
    if (this.#removed.length > 0) return true;
    return this.#parts.some((part) => part.type === 'text' && part.text.trim() !== '');
  }

  /** The calls to make; empty if the answer was cut off. */
  pendingCalls(): PendingCall[] {
    if (this.#brokeOff) return [];
    const pending: PendingCall[] = [];
    for (const part of this.#parts) {
      if (part.type === 'tool_call') {
        const { callId, name, tool, problem } = part;
        const call = { callId, name, arguments: part.arguments, decision: 'undecided' } as const;
        if (problem) pending.push({ ...call, tool, problem });
        else if (tool) pending.push({ ...call, tool, ...defined({ textCall: this.#textCalls.get(callId) }) });
      } else if (part.type === 'malformed_tool_call') {
        pending.push({
          callId: part.callId,
          name: 'malformed_tool_call',
          tool: null,
          // The raw text replaces the arguments, so that repetitions of the same mistake count as the same call.
          arguments: { raw: part.raw },
          decision: 'undecided',
          problem: createErrorInfo({
            code: 'malformed_tool_call',
            message: say`This tool call could not be parsed: ${part.reason}. Repeat it as valid JSON.`,
          }),
        });
      }
    }
    return pending;
  }

  toMessage(
    of: Pick<AssistantMessage, 'parentId' | 'createdAt' | 'runId' | 'model' | 'agent' | 'cost'>,
  ): AssistantMessage {
    // A call without a result would make the next request malformed.
    const parts = this.#brokeOff
      ? this.#parts.filter((part) => part.type !== 'tool_call' && part.type !== 'malformed_tool_call')
      : this.#parts;
    const { error, unmadeCalls } = this;
    const shown = restoreText(parts, this.#removed);
    return {
      id: this.messageId,
      role: 'assistant',
      ...of,
      parts: error ? [...shown, { type: 'error', error }] : shown,
      finishReason: this.finishReason,
      ...(unmadeCalls.length > 0 ? { unmadeCalls } : {}),
      ...defined({ usage: this.#usage }),
    };
  }

  get #brokeOff(): boolean {
    return this.error !== undefined || this.#finish === 'cancelled';
  }

  #callId(index: number): string {
    return `${this.messageId}.${index}`;
  }

  #toCall(part: Extract<StreamPart, { type: 'tool_call' }>): ToolCallPart {
    this.#calls++;
    const tool = this.#tools.resolve(part.name);
    const fitted =
      tool && part.arguments !== null ? fitArguments(tool.inputSchema, part.arguments, parseLenient) : undefined;
    const problem = tool ? argumentsProblem(part, fitted) : this.#unknownTool(part.name);
    return {
      type: 'tool_call',
      callId: this.#callId(part.index),
      ...defined({ providerCallId: part.id }),
      name: part.name,
      tool: tool?.tool ?? null,
      arguments: fitted?.arguments ?? part.arguments ?? {},
      ...defined({ problem }),
    };
  }

  #unknownTool(name: string): ErrorInfo {
    const offered = this.#tools.tools().map((tool) => tool.name);
    const near = nearestNames(name, offered);
    return createErrorInfo({ code: 'tool_not_found', message: unknownToolText(name, near, offered) });
  }
}

function unknownToolText(name: string, near: readonly string[], offered: readonly string[]): TranslatableText {
  const names = offered.slice(0, 20).join(', ');
  if (near.length > 0) {
    return say`The tool "${name}" does not exist. Did you mean ${near.map((other) => `"${other}"`).join(' or ')}?`;
  }
  if (offered.length > 20) return say`The tool "${name}" does not exist. Available tools: ${names}, ....`;
  return offered.length > 0
    ? say`The tool "${name}" does not exist. Available tools: ${names}.`
    : say`The tool "${name}" does not exist. No tools are available.`;
}

function argumentsProblem(
  part: Extract<StreamPart, { type: 'tool_call' }>,
  fitted: FittedArguments | undefined,
): ErrorInfo | undefined {
  if (part.arguments === null || fitted === undefined) {
    const shown = part.argumentsText.length > 200 ? `${part.argumentsText.slice(0, 200)}...` : part.argumentsText;
    return createErrorInfo({
      code: 'invalid_arguments',
      message: say`The arguments of "${part.name}" are not a JSON object: ${shown}`,
    });
  }
  const { mismatch } = fitted;
  if (mismatch === null) return undefined;
  return createErrorInfo({
    code: 'invalid_arguments',
    message: say`The arguments of "${part.name}" do not match its schema: ${mismatch}`,
  });
}

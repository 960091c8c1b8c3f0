import type {
  AssistantMessage,
  AssistantPart,
  ErrorInfo,
  FinishReason,
  RunJournal,
  ToolCallPart,
  Usage,
} from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { PendingCall } from '@toolyard/agent-runtime';
import type { ToolHost } from '@toolyard/mcp-host';
import type { StreamPart } from '@toolyard/model-runtime';
import { nearestNames } from '../nearest-names.ts';

/** A text that has grown by so many characters, and by a quarter, is made one piece. */
const JOIN_AFTER = 256;

/** Puts one answer of a model together from its stream, and journals it as it grows. */
export class StreamedMessage {
  readonly messageId: string;
  readonly #journal: RunJournal;
  readonly #tools: ToolHost;
  readonly #parts: AssistantPart[] = [];
  /** How much of the text that grows is one piece. */
  #joined = 0;
  #calls = 0;
  #usage: Usage | undefined;
  #cost: number | undefined;
  #finish: FinishReason | undefined;
  #error: ErrorInfo | undefined;

  constructor(messageId: string, journal: RunJournal, tools: ToolHost) {
    this.messageId = messageId;
    this.#journal = journal;
    this.#tools = tools;
  }

  /** What was said of it before it was cut: it begins with that. */
  beginWith(parts: readonly AssistantPart[]): void {
    for (const part of parts) {
      if (part.type === 'text' || part.type === 'reasoning') this.take({ type: part.type, text: part.text });
      const last = this.#parts.at(-1);
      if (part.type === 'reasoning' && part.signature !== undefined && last?.type === 'reasoning') {
        last.signature = part.signature;
      }
      if (part.type === 'image' || part.type === 'citation') this.#parts.push(part);
    }
  }

  take(part: StreamPart): void {
    const { messageId } = this;
    switch (part.type) {
      case 'text': {
        const last = this.#parts.at(-1);
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
        // It closes the thinking right before it; on its own it belongs to the part that follows.
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
        this.#journal.append({
          type: 'tool_call_started',
          messageId,
          callId: this.#callId(part.index),
          name: part.name,
        });
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
        this.#parts.push(call);
        this.#journal.append({ type: 'tool_call_ready', messageId, call });
        return;
      }
      case 'malformed_tool_call': {
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
        this.#journal.append({ type: 'notice', level: 'warning', code: part.code, text: part.text });
        return;
      case 'finish':
        this.#finish = part.reason;
        return;
      case 'error':
        this.fail(part.error);
        return;
    }
  }

  #begin(part: { type: 'text' | 'reasoning'; text: string }): void {
    this.#parts.push(part);
    this.#joined = 0;
  }

  /**
   * A text that grows by words is a tree of its words until somebody reads it: with many answers under way a fifth of all
   * there is to be gone through when memory is tidied up, with everybody waiting. Read now and then, it is one text.
   */
  #grow(part: { text: string }, text: string): void {
    part.text += text;
    const { length } = part.text;
    if (length < this.#joined + Math.max(JOIN_AFTER, this.#joined / 4)) return;
    part.text.charCodeAt(0);
    this.#joined = length;
  }

  /** The stream ended badly: what was said is kept, what was asked for is not done. */
  fail(error: ErrorInfo): void {
    this.#error = error;
    this.#finish = 'error';
  }

  /** Somebody stopped it: likewise. */
  cancel(): void {
    this.#finish = 'cancelled';
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** US dollars, where whoever answered said so. */
  get cost(): number | undefined {
    return this.#cost;
  }

  get error(): ErrorInfo | undefined {
    if (this.#error) return this.#error;
    if (this.#finish !== undefined) return undefined;
    return {
      code: 'no_response',
      message: 'The model server answered without an answer: there was no choice in it.',
      hint: 'Ask again; if it stays so, look at the log of the model server.',
      retryable: true,
    };
  }

  get finishReason(): FinishReason {
    return this.#finish ?? 'error';
  }

  get hasText(): boolean {
    return this.#parts.some((part) => part.type === 'text' && part.text.trim() !== '');
  }

  /** The calls to be made; none where the answer broke off. */
  pendingCalls(): PendingCall[] {
    if (this.#brokeOff) return [];
    const pending: PendingCall[] = [];
    for (const part of this.#parts) {
      if (part.type === 'tool_call') {
        const { callId, name, tool, problem } = part;
        pending.push({
          callId,
          name,
          tool,
          arguments: part.arguments,
          decision: 'undecided',
          ...defined({ problem }),
        });
      } else if (part.type === 'malformed_tool_call') {
        pending.push({
          callId: part.callId,
          name: 'malformed_tool_call',
          tool: null,
          // The text stands for the arguments, so that the same slip made again and again counts as the same call.
          arguments: { raw: part.raw },
          decision: 'undecided',
          problem: {
            code: 'malformed_tool_call',
            message: `This tool call could not be read: ${part.reason}. Write it again, as valid JSON.`,
          },
        });
      }
    }
    return pending;
  }

  toMessage(of: Pick<AssistantMessage, 'parentId' | 'createdAt' | 'runId' | 'model' | 'cost'>): AssistantMessage {
    // A call without an answer would make the next request malformed.
    const parts = this.#brokeOff
      ? this.#parts.filter((part) => part.type !== 'tool_call' && part.type !== 'malformed_tool_call')
      : this.#parts;
    const { error } = this;
    return {
      id: this.messageId,
      role: 'assistant',
      ...of,
      parts: error ? [...parts, { type: 'error', error }] : parts,
      finishReason: this.finishReason,
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
    const problem = tool ? argumentsProblem(part, tool) : this.#unknownTool(part.name);
    return {
      type: 'tool_call',
      callId: this.#callId(part.index),
      ...defined({ providerCallId: part.id }),
      name: part.name,
      tool: tool?.tool ?? null,
      arguments: part.arguments ?? {},
      ...defined({ problem }),
    };
  }

  #unknownTool(name: string): ErrorInfo {
    const offered = this.#tools.tools().map((tool) => tool.name);
    const near = nearestNames(name, offered);
    const advice =
      near.length > 0
        ? `Did you mean ${near.map((other) => `"${other}"`).join(' or ')}?`
        : offered.length > 0
          ? `Tools on offer: ${offered.slice(0, 20).join(', ')}${offered.length > 20 ? ', ...' : ''}.`
          : 'No tools are on offer.';
    return { code: 'tool_not_found', message: `There is no tool "${name}". ${advice}` };
  }
}

function argumentsProblem(
  part: Extract<StreamPart, { type: 'tool_call' }>,
  tool: NonNullable<ReturnType<ToolHost['resolve']>>,
): ErrorInfo | undefined {
  if (part.arguments === null) {
    const shown = part.argumentsText.length > 200 ? `${part.argumentsText.slice(0, 200)}...` : part.argumentsText;
    return {
      code: 'invalid_arguments',
      message: `The arguments of "${part.name}" are not a JSON object: ${shown}`,
    };
  }
  const misfit = tool.checkArguments(part.arguments);
  if (misfit === null) return undefined;
  return { code: 'invalid_arguments', message: `The arguments of "${part.name}" do not fit its schema: ${misfit}` };
}

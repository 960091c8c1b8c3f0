import type { McpTestedCall, ResourcePart, ToolContentPart, ToolResult } from '@toolyard/protocol';
import { labelOf } from '@toolyard/protocol';

/** Limit of one result in characters; a browser has to hold it in memory. */
const MOST_CHARACTERS = 8 * 1_024 * 1_024;

/** Truncates a result to the limit, and marks what was removed. */
export function truncateResult(result: ToolResult): ToolResult {
  const budget = new Budget();
  const content = result.content.map((part) => budget.part(part));
  const { structured, ...rest } = result;
  if (structured === undefined) return { ...rest, content };
  if (budget.takes(JSON.stringify(structured).length)) return { ...rest, content, structured };
  return {
    ...rest,
    content: [...content, { type: 'text', text: '(The structured result is too large and was removed.)' }],
  };
}

/** A raw response that is too large is left out. */
export function truncateTest({ raw, ...call }: McpTestedCall): McpTestedCall {
  const isShown = raw !== undefined && JSON.stringify(raw).length <= MOST_CHARACTERS;
  return { ...call, result: truncateResult(call.result), ...(isShown ? { raw } : {}) };
}

export function truncateContents(contents: readonly ResourcePart[]): ResourcePart[] {
  const budget = new Budget();
  return contents.map((part) => budget.resource(part));
}

export function truncateMessages<Message extends { content: ToolContentPart }>(
  messages: readonly Message[],
): Message[] {
  const budget = new Budget();
  return messages.map((message) => ({ ...message, content: budget.part(message.content) }));
}

class Budget {
  #remaining = MOST_CHARACTERS;

  takes(size: number): boolean {
    if (size > this.#remaining) return false;
    this.#remaining -= size;
    return true;
  }

  part(part: ToolContentPart): ToolContentPart {
    if (part.type === 'resource') return this.resource(part);
    if (part.type === 'text') return { ...part, text: this.#text(part.text) };
    const { source } = part;
    if (!('data' in source) || this.takes(source.data.length)) return part;
    return { type: 'text', text: `(${labelOf(part)}: ${formatSize(source.data)} is too large and was removed.)` };
  }

  resource<Part extends ResourcePart>(part: Part): Part {
    const { source, ...rest } = part;
    const bounded = part.text === undefined ? part : { ...part, text: this.#text(part.text) };
    if (source === undefined || !('data' in source) || this.takes(source.data.length)) return bounded;
    return { ...(rest as Part), text: `(The contents, ${formatSize(source.data)}, are too large and were removed.)` };
  }

  #text(text: string): string {
    if (this.takes(text.length)) return text;
    const kept = text.slice(0, Math.max(0, this.#remaining));
    this.#remaining = 0;
    return `${kept}\n(${text.length - kept.length} more characters were removed.)`;
  }
}

function formatSize(base64: string): string {
  return `${((base64.length * 3) / 4 / (1_024 * 1_024)).toFixed(1)} MB`;
}

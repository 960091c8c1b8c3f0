import type { AssistantMessage, InterruptAnswer, RunEvent, ToolResult } from '@toolyard/protocol';
import { formatToolReference, ignoreEvent, labelOf, textOf } from '@toolyard/protocol';
import { sanitize, plainLine, shownLine, withoutControls } from '../sanitize.ts';
import type { Terminal } from './terminal.ts';
import { dim } from './terminal.ts';

/**
 * Writes a run to the terminal: the answer to output, everything else to err.
 *
 * A terminal gets streamed text. A pipe gets only the final answer, so text is held back until its message ends: text
 * before a tool call goes to err.
 */
export class TerminalTranscript {
  readonly #terminal: Terminal;
  /** Part of the current message has been streamed. */
  #streamed = false;
  #reasoning = false;
  /** The cursor of err is not at the start of a line. */
  #errLineOpen = false;
  #outLineOpen = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(event: RunEvent): void {
    switch (event.type) {
      case 'reasoning_delta':
        return this.#showReasoning(event.text);
      case 'text_delta':
        return this.#showText(event.text);
      case 'message_finished':
        return this.#endMessage(event.message);
      case 'tool_call_malformed':
        return this.#note(`malformed tool call (${event.call.reason}): ${plainLine(event.call.raw)}`);
      case 'tool_call_ready': {
        const name = event.call.tool ? formatToolReference(event.call.tool) : event.call.name;
        return this.#note(`call ${shownLine(name)} ${shownLine(JSON.stringify(event.call.arguments))}`);
      }
      case 'tool_progress': {
        const of = event.total === undefined ? '' : `/${event.total}`;
        return this.#note(`  ${event.progress}${of}${event.text ? ` ${plainLine(event.text)}` : ''}`);
      }
      case 'tool_finished': {
        const { tool, name } = event.message;
        const reference = tool ? formatToolReference(tool) : name;
        return this.#note(`  ${shownLine(reference)} ${describeResult(event.result)} (${event.durationMs} ms)`);
      }
      case 'notice':
        return this.#note(plainLine(event.text, 500));
      case 'servers_awaited':
        return this.#note(`waiting for ${event.servers.map((id) => shownLine(id)).join(', ')}`);
      case 'attempt_abandoned':
        this.#streamed = false;
        return this.#note('interrupted; the answer restarts');
      case 'interrupt_answered':
        return isDenied(event.answer) ? this.#note('  denied') : undefined;
      case 'run_finished':
        return this.#endRun(event.status);
      case 'compression_started':
        return this.#note(`compacting ${event.messages} messages`);
      case 'compression_failed':
        return this.#note(`compaction failed: ${plainLine(event.error.message, 500)}`);
      case 'steered':
        return this.#note(`received: ${plainLine(textOf(event.message), 500)}`);
      default:
        ignoreEvent<
          'run_started' | 'compression_finished' | 'tool_started' | 'interrupt_requested' | 'interrupt_withdrawn'
        >(event);
    }
  }

  /** Puts the cursor at the start of a line, on both streams. */
  settle(): void {
    this.#closeErrLine();
    this.#closeOutLine();
  }

  #showReasoning(text: string): void {
    const { err, errIsScreen } = this.#terminal;
    // A log file would get one line per delta; --json prints reasoning.
    if (!errIsScreen) return;
    if (!this.#reasoning) this.#closeOutLine();
    this.#reasoning = true;
    this.#errLineOpen = true;
    err.write(dim(sanitize(text), this.#terminal));
  }

  #showText(text: string): void {
    if (!this.#terminal.outputIsScreen) return;
    this.#streamed = true;
    this.#closeErrLine();
    const shown = sanitize(text);
    this.#terminal.output.write(shown);
    if (shown !== '') this.#outLineOpen = !shown.endsWith('\n');
  }

  #endMessage(message: AssistantMessage): void {
    const text = textOf(message);
    const shown = this.#streamed;
    this.#streamed = false;
    this.#reasoning = false;
    this.settle();
    if (shown || text.trim() === '') return;
    if (message.member) {
      const mark = message.member.private ? ' (private)' : '';
      this.#note(`${shownLine(message.agent?.title ?? 'member')}${mark}:`);
    }
    const { output, outputIsScreen } = this.#terminal;
    const calledTools = message.parts.some((part) => part.type === 'tool_call');
    if (calledTools && !outputIsScreen) return this.#note(sanitize(text).trim());
    const whole = outputIsScreen ? sanitize(text) : withoutControls(text);
    output.write(whole.endsWith('\n') ? whole : `${whole}\n`);
  }

  #endRun(status: 'done' | 'failed' | 'cancelled'): void {
    this.settle();
    if (status === 'cancelled') this.#note('cancelled');
  }

  #note(text: string): void {
    this.settle();
    this.#terminal.err.write(`${dim(text, this.#terminal)}\n`);
  }

  #closeErrLine(): void {
    if (this.#errLineOpen) this.#terminal.err.write('\n');
    this.#errLineOpen = false;
  }

  #closeOutLine(): void {
    if (this.#outLineOpen) this.#terminal.output.write('\n');
    this.#outLineOpen = false;
  }
}

function describeResult({ content, isError, outcome, error }: ToolResult): string {
  if (outcome === 'unknown') return `outcome unknown: ${plainLine(error?.message ?? '')}`;
  const shown = content
    .map((part) => (part.type === 'text' ? part.text : `[${shownLine(labelOf(part), 500)}]`))
    .join(' ');
  const hint = error?.hint ? ` ${plainLine(error.hint)}` : '';
  return `${isError ? 'failed' : 'ok'}: ${plainLine(shown) || '(nothing)'}${hint}`;
}

function isDenied({ decision }: InterruptAnswer): boolean {
  return decision === 'refuse' || decision === 'decline';
}

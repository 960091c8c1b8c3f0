import type { Message } from '@toolyard/protocol';
import { labelOf } from '@toolyard/protocol';
import { EXIT } from '../exit.ts';
import { reportFailure } from '../failure.ts';
import { sanitize, plainLine, shownLine } from '../sanitize.ts';
import { follow } from './follow.ts';
import type { ChatRun, ChatBackend } from './chat-backend.ts';
import type { StopSignals } from './stop-signals.ts';
import type { TerminalLineReader, Terminal } from './terminal.ts';
import { dim } from './terminal.ts';
import { TerminalTranscript } from './transcript.ts';

const HELP = `/tools            list tools
/continue         continue an answer that was cut off
/history          show the messages
/clear            start a new conversation
/model [name]     list models, or change the model
/help             show this help
/exit             exit (or Ctrl-D)
Text that you enter during an answer is sent to the model at its next step.
Ctrl-C cancels the answer; press it again to exit.`;

const COMMAND = /^\/(tools|history|clear|model|help|continue|exit|quit)(?:\s+(.*))?$/s;

export type ConversationOptions = {
  backend: ChatBackend;
  terminal: Terminal;
  reader: TerminalLineReader;
  /** Called with each run, so that a signal can cancel it. */
  track: (run: ChatRun) => ChatRun;
  signals: StopSignals;
  /** A run in progress to follow before the first prompt. */
  joined?: ChatRun;
};

/** A chat at the terminal, or over a pipe with one message per line. */
export class TerminalConversation {
  readonly #options: ConversationOptions;
  /** Input to handle before the next prompt: a run in progress, or text entered during an answer. */
  readonly #next: (string | ChatRun)[] = [];

  constructor(options: ConversationOptions) {
    this.#options = options;
    if (options.joined) this.#next.push(options.joined);
  }

  /** Runs until the user exits or the input ends. Returns the exit code. */
  async run(): Promise<number> {
    const { reader, terminal, signals } = this.#options;
    const prompt = terminal.interactive ? '> ' : '';
    if (terminal.interactive) terminal.err.write(dim('Type a message, or /help for commands.\n', terminal));
    let code: number = EXIT.done;
    let isExiting = false;
    for (;;) {
      let next = this.#next.shift();
      if (next === undefined) {
        const line = await reader.ask(prompt);
        if (line.kind === 'end') return code;
        if (line.kind === 'interrupt') {
          if (isExiting) return EXIT.stopped;
          isExiting = true;
          terminal.err.write(dim('Press Ctrl-C again to exit.\n', terminal));
          continue;
        }
        next = line.text.trim();
      } else if (typeof next === 'string') {
        terminal.err.write(dim(`> ${plainLine(next)}\n`, terminal));
      }
      if (next === '/exit' || next === '/quit') return code;
      const answer = await this.#answer(next);
      // Over a pipe, the exit code reports a failed answer to the script.
      if (!terminal.interactive && answer !== null) code = Math.max(code, answer);
      // Ctrl-C after a cancelled answer exits.
      isExiting = answer === EXIT.stopped;
      if (signals.wantsEnd()) return signals.exitCode() ?? code;
      signals.reset();
    }
  }

  /** The exit code of the answer; null for a command or an empty line. */
  async #answer(next: string | ChatRun): Promise<number | null> {
    if (typeof next !== 'string') return this.#follow(next);
    if (next === '') return null;
    if (next === '/continue') return this.#continue();
    const command = COMMAND.exec(next);
    if (!command) return this.#follow(this.#options.backend.ask(next));
    await this.#command(command[1] ?? '', command[2]?.trim() ?? '');
    return null;
  }

  async #continue(): Promise<number> {
    const { backend, terminal } = this.#options;
    let run: ChatRun;
    try {
      run = backend.continue();
    } catch (thrown) {
      reportFailure(thrown, terminal.io);
      return EXIT.failed;
    }
    return this.#follow(run);
  }

  async #follow(run: ChatRun): Promise<number> {
    const { backend, terminal, reader, track } = this.#options;
    const transcript = new TerminalTranscript(terminal);
    const stopListening = reader.onLine((line) => {
      const text = line.trim();
      if (COMMAND.test(text)) this.#next.push(text);
      else if (text !== '') run.steer(text);
    });
    let code: number;
    try {
      code = await follow(track(run), backend, {
        terminal,
        show: (event) => transcript.show(event),
        settle: () => transcript.settle(),
      });
    } finally {
      stopListening();
    }
    await this.#keepUndelivered(run, code);
    return code;
  }

  /** Sends undelivered messages next. After a cancelled or failed answer, prints them instead, for the user to send again. */
  async #keepUndelivered(run: ChatRun, code: number): Promise<void> {
    const { terminal } = this.#options;
    try {
      const undelivered = await run.undelivered();
      const texts = undelivered.filter((each) => typeof each === 'string');
      if (code === EXIT.done) return void this.#next.unshift(...undelivered);
      for (const text of texts) terminal.err.write(dim(`not sent: ${plainLine(text)}\n`, terminal));
      this.#next.unshift(...undelivered.filter((each) => typeof each !== 'string'));
    } catch (thrown) {
      reportFailure(thrown, terminal.io);
    }
  }

  async #command(name: string, argument: string): Promise<void> {
    const { backend, terminal } = this.#options;
    try {
      this.#print(await this.#execute(name, argument, backend));
    } catch (thrown) {
      reportFailure(thrown, terminal.io);
    }
  }

  async #execute(name: string, argument: string, backend: ChatBackend): Promise<string> {
    switch (name) {
      case 'tools':
        return (await backend.tools()).join('\n') || 'No tools. Add a server with --mcp "<command or URL>".';
      case 'history':
        return (await backend.history()).map(describeMessage).join('\n') || 'No messages yet.';
      case 'clear':
        backend.clear();
        return 'Started a new conversation.';
      case 'model': {
        if (argument !== '') return `Model: ${plainLine(await backend.useModel(argument))}`;
        const offered = await backend.models();
        return (
          offered.map(({ name, current }) => `${current ? '*' : ' '} ${plainLine(name)}`).join('\n') || 'No models.'
        );
      }
      default:
        return HELP;
    }
  }

  #print(text: string): void {
    this.#options.terminal.output.write(`${sanitize(text)}\n`);
  }
}

function describeMessage(message: Message): string {
  const parts = message.parts.map((part): string => {
    switch (part.type) {
      case 'text':
        return part.text;
      case 'reasoning':
        return `(reasoning: ${plainLine(part.text, 120)})`;
      case 'tool_call':
        return `(calls ${shownLine(part.name)} ${shownLine(JSON.stringify(part.arguments), 120)})`;
      case 'malformed_tool_call':
        return `(malformed tool call: ${plainLine(part.raw, 120)})`;
      case 'tool_result':
        return `${part.result.isError ? '(failed) ' : ''}${plainLine(
          part.result.content.map((item) => ('text' in item && item.text ? item.text : `[${item.type}]`)).join(' '),
        )}`;
      default:
        return `[${shownLine(labelOf(part), 500)}]`;
    }
  });
  const sender = message.role === 'tool' ? `tool ${shownLine(message.name)}` : message.role;
  return `${sender}: ${parts.join(' ')}`;
}

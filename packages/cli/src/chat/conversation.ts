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

const HELP = `/tools            the tools the model may use
/continue         go on with an answer that was cut
/history          what was said
/clear            begin anew
/model [name]     the models on offer, or another one
/help             this
/exit             leave (so does Ctrl-D)
What you type while an answer is under way is heard at its next step.
Ctrl-C stops an answer; pressed again it leaves.`;

const COMMAND = /^\/(tools|history|clear|model|help|continue|exit|quit)(?:\s+(.*))?$/s;

export type ConversationOptions = {
  backend: ChatBackend;
  terminal: Terminal;
  reader: TerminalLineReader;
  /** Told of each run, so that a signal can stop it. */
  track: (run: ChatRun) => ChatRun;
  signals: StopSignals;
  /** Under way already: followed before the first question is asked. */
  joined?: ChatRun;
};

/** A chat at the terminal, or over a pipe, a line a message. */
export class TerminalConversation {
  readonly #options: ConversationOptions;
  /** What comes before anything is asked for: under way already, or typed while an answer was. */
  readonly #next: (string | ChatRun)[] = [];

  constructor(options: ConversationOptions) {
    this.#options = options;
    if (options.joined) this.#next.push(options.joined);
  }

  /** Goes on until the person leaves or the input ends; gives the exit code. */
  async talk(): Promise<number> {
    const { reader, terminal, signals } = this.#options;
    const prompt = terminal.interactive ? '> ' : '';
    if (terminal.interactive) terminal.err.write(dim('Ask away. /help shows what else there is.\n', terminal));
    let code: number = EXIT.done;
    let leaving = false;
    for (;;) {
      let next = this.#next.shift();
      if (next === undefined) {
        const line = await reader.ask(prompt);
        if (line.kind === 'end') return code;
        if (line.kind === 'interrupt') {
          if (leaving) return EXIT.stopped;
          leaving = true;
          terminal.err.write(dim('Ctrl-C again leaves.\n', terminal));
          continue;
        }
        next = line.text.trim();
      } else if (typeof next === 'string') {
        terminal.err.write(dim(`> ${plainLine(next)}\n`, terminal));
      }
      if (next === '/exit' || next === '/quit') return code;
      const answer = await this.#answer(next);
      // Over a pipe the code is all a script sees.
      if (!terminal.interactive && answer !== null) code = Math.max(code, answer);
      // Whoever stopped an answer and presses Ctrl-C again wants to leave.
      leaving = answer === EXIT.stopped;
      if (signals.wantsEnd()) return signals.exitCode() ?? code;
      signals.reset();
    }
  }

  /** Null where no answer was asked for. */
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
    const deafen = reader.overhear((line) => {
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
      deafen();
    }
    await this.#keepUnheard(run, code);
    return code;
  }

  /** What came too late is asked next; after an answer that was stopped or failed it is for the person to say it again. */
  async #keepUnheard(run: ChatRun, code: number): Promise<void> {
    const { terminal } = this.#options;
    try {
      const left = await run.undelivered();
      const texts = left.filter((each) => typeof each === 'string');
      if (code === EXIT.done) return void this.#next.unshift(...left);
      for (const text of texts) terminal.err.write(dim(`not heard: ${plainLine(text)}\n`, terminal));
      this.#next.unshift(...left.filter((each) => typeof each !== 'string'));
    } catch (thrown) {
      reportFailure(thrown, terminal.io);
    }
  }

  async #command(name: string, argument: string): Promise<void> {
    const { backend, terminal } = this.#options;
    try {
      this.#say(await this.#told(name, argument, backend));
    } catch (thrown) {
      reportFailure(thrown, terminal.io);
    }
  }

  async #told(name: string, argument: string, backend: ChatBackend): Promise<string> {
    switch (name) {
      case 'tools':
        return (await backend.tools()).join('\n') || 'No tools. --mcp "<command or url>" adds a server.';
      case 'history':
        return (await backend.history()).map(describeMessage).join('\n') || 'Nothing has been said yet.';
      case 'clear':
        backend.clear();
        return 'The conversation begins anew.';
      case 'model': {
        if (argument !== '') return `From now on ${plainLine(await backend.useModel(argument))} answers.`;
        const offered = await backend.models();
        return offered.map(({ name, current }) => `${current ? '*' : ' '} ${plainLine(name)}`).join('\n') || 'None.';
      }
      default:
        return HELP;
    }
  }

  #say(text: string): void {
    this.#options.terminal.output.write(`${sanitize(text)}\n`);
  }
}

function describeMessage(message: Message): string {
  const parts = message.parts.map((part): string => {
    switch (part.type) {
      case 'text':
        return part.text;
      case 'reasoning':
        return `(thinks: ${plainLine(part.text, 120)})`;
      case 'tool_call':
        return `(calls ${shownLine(part.name)} ${shownLine(JSON.stringify(part.arguments), 120)})`;
      case 'malformed_tool_call':
        return `(a call that cannot be read: ${plainLine(part.raw, 120)})`;
      case 'tool_result':
        return `${part.result.isError ? '(failed) ' : ''}${plainLine(
          part.result.content.map((item) => ('text' in item && item.text ? item.text : `[${item.type}]`)).join(' '),
        )}`;
      default:
        return `[${shownLine(labelOf(part), 500)}]`;
    }
  });
  const who = message.role === 'tool' ? `tool ${shownLine(message.name)}` : message.role;
  return `${who}: ${parts.join(' ')}`;
}

import type { Agent, AgentRun } from '@toolyard/agent-host';
import type { Message } from '@toolyard/protocol';
import { formatToolReference, ToolyardError } from '@toolyard/protocol';
import { notFound } from '../choose-model.ts';
import { EXIT } from '../exit.ts';
import { explain } from '../explain.ts';
import { reportFailure } from '../failure.ts';
import { plain, plainLine } from '../plain.ts';
import type { StopSignals } from './stop-signals.ts';
import type { LineReader, Terminal } from './terminal.ts';
import { dim } from './terminal.ts';
import { Transcript } from './transcript.ts';

const HELP = `/tools            the tools the model may use
/history          what was said
/clear            begin anew
/model [name]     the models on offer, or another one
/help             this
/exit             leave (so does Ctrl-D)
Ctrl-C stops an answer; pressed again it leaves.`;

export type ConversationOptions = {
  agent: Agent;
  terminal: Terminal;
  reader: LineReader;
  /** Told of each run, so that a signal can stop it. */
  track: (run: AgentRun) => AgentRun;
  signals: StopSignals;
};

/** A chat at the terminal, or over a pipe, a line a message. */
export class Conversation {
  readonly #options: ConversationOptions;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /** Goes on until the person leaves or the input ends; gives the exit code. */
  async talk(): Promise<number> {
    const { reader, terminal, signals } = this.#options;
    const prompt = terminal.interactive ? '> ' : '';
    if (terminal.interactive)
      terminal.err.write(dim('Ask away. /help shows what else there is.\n', terminal.errIsScreen));
    let code: number = EXIT.done;
    let leaving = false;
    for (;;) {
      const line = await reader.ask(prompt);
      if (line.kind === 'end') return code;
      if (line.kind === 'interrupt') {
        if (leaving) return EXIT.stopped;
        leaving = true;
        terminal.err.write(dim('Ctrl-C again leaves.\n', terminal.errIsScreen));
        continue;
      }
      leaving = false;
      const text = line.text.trim();
      if (text === '') continue;
      if (text === '/exit' || text === '/quit') return code;
      const command = /^\/(tools|history|clear|model|help)(?:\s+(.*))?$/s.exec(text);
      if (command) await this.#command(command[1] ?? '', command[2]?.trim() ?? '');
      else {
        const answer = await this.#answer(text);
        // Over a pipe the code is all a script sees.
        if (!terminal.interactive) code = Math.max(code, answer);
        // Whoever stopped an answer and presses Ctrl-C again wants to leave.
        leaving = answer === EXIT.stopped;
      }
      if (signals.wantsEnd()) return signals.exitCode() ?? code;
      signals.reset();
    }
  }

  async #answer(text: string): Promise<number> {
    const { agent, terminal, track } = this.#options;
    const transcript = new Transcript(terminal);
    try {
      const run = track(agent.run(text));
      for await (const event of run) transcript.show(event);
      const { status } = await run.result;
      return status === 'done' ? EXIT.done : EXIT.stopped;
    } catch (thrown) {
      transcript.settle();
      reportFailure(ToolyardError.isInstance(thrown) ? await explain(thrown, agent) : thrown, terminal.err);
      return EXIT.failed;
    }
  }

  async #command(name: string, argument: string): Promise<void> {
    const { agent, terminal } = this.#options;
    switch (name) {
      case 'tools':
        return this.#say(this.#tools());
      case 'history':
        return this.#say(agent.messages.map(describeMessage).join('\n') || 'Nothing has been said yet.');
      case 'clear':
        agent.clear();
        return this.#say('The conversation begins anew.');
      case 'model':
        try {
          return this.#say(await this.#model(argument));
        } catch (thrown) {
          reportFailure(thrown, terminal.err);
          return;
        }
      default:
        return this.#say(HELP);
    }
  }

  #tools(): string {
    const { agent } = this.#options;
    const lines = agent.tools.map((tool) => {
      const unasked = tool.builtIn && tool.annotations?.readOnly ? '' : ' (asks first)';
      const title = tool.description ?? tool.title ?? '';
      return `${formatToolReference(tool.tool)}${unasked}  ${plainLine(title, 100)}`;
    });
    const missing = agent.servers
      .filter((server) => server.state !== 'ready')
      .map((server) => `${server.id}: ${plainLine(server.error?.message ?? server.state)}`);
    return [...lines, ...missing].join('\n') || 'No tools. --mcp "<command or url>" adds a server.';
  }

  async #model(wanted: string): Promise<string> {
    const { agent } = this.#options;
    const offered = await agent.models();
    if (wanted === '') {
      return offered.map(({ id }) => `${id === agent.model ? '*' : ' '} ${plainLine(id)}`).join('\n') || 'None.';
    }
    if (!offered.some(({ id }) => id === wanted)) throw notFound(wanted, offered, `at ${agent.provider}`);
    agent.useModel(wanted);
    return `From now on ${plainLine(wanted)} answers.`;
  }

  #say(text: string): void {
    this.#options.terminal.output.write(`${plain(text)}\n`);
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
        return `(calls ${part.name} ${plainLine(JSON.stringify(part.arguments), 120)})`;
      case 'malformed_tool_call':
        return `(a call that cannot be read: ${plainLine(part.raw, 120)})`;
      case 'tool_result':
        return `${part.result.isError ? '(failed) ' : ''}${plainLine(
          part.result.content.map((item) => ('text' in item && item.text ? item.text : `[${item.type}]`)).join(' '),
        )}`;
      case 'image':
      case 'audio':
      case 'file':
        return `[${part.type} ${part.mimeType}]`;
      case 'resource':
        return `[resource ${part.uri}]`;
      case 'citation':
        return `[${part.url}]`;
      case 'error':
        return `[${part.error.message}]`;
    }
  });
  const who = message.role === 'tool' ? `tool ${message.name}` : message.role;
  return `${who}: ${parts.join(' ')}`;
}

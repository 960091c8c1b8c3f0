import type { Agent, AgentRun, AskApproval } from '@toolyard/agent-host';
import { createAgent, nodePlatform } from '@toolyard/agent-host/node';
import { killAllStdioChildren } from '@toolyard/mcp-host/node';
import type { ModelParameters } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { chooseModel } from '../choose-model.ts';
import { reportFailure } from '../failure.ts';
import type { ChatFlags } from '../flags.ts';
import { plainLine } from '../plain.ts';
import { serversFrom } from '../servers.ts';
import { answerOnce } from './answer-once.ts';
import { createTerminalApproval } from './approval.ts';
import { Conversation } from './conversation.ts';
import { onStopSignal } from './stop-signals.ts';
import type { LineReader, Terminal } from './terminal.ts';
import { createLineReader, dim, processTerminal, readAll } from './terminal.ts';

const ONE_SHOT_TURNS = 5;

/** `toolyard chat [question]`; gives the exit code. */
export async function chatCommand(question: string | undefined, flags: ChatFlags): Promise<number> {
  const terminal = processTerminal();
  const asked = question === '-' ? await readAll(terminal.input) : question;
  if (asked !== undefined && asked.trim() === '') {
    throw new ToolyardError({ code: 'bad_config', message: 'The question is empty.' });
  }
  if (flags.json && asked === undefined) {
    throw new ToolyardError({
      code: 'bad_config',
      message: '--json goes with a question.',
      hint: 'toolyard chat --json "question"',
    });
  }
  checkAllowed(flags.allow);
  process.once('exit', killAllStdioChildren);

  // Who answers a stop changes in the course of a chat: at first nobody, then the run under way.
  let current: AgentRun | null = null;
  const signals = onStopSignal(() => {
    current?.cancel();
    return current !== null;
  });
  const reader = createLineReader(terminal);
  try {
    const platform = nodePlatform();
    const chosen = await chooseModel(flags, { env: process.env, fetch: platform.fetch, clock: platform.clock });
    const servers = serversFrom(flags, process.env);
    terminal.err.write(dim(`model: ${chosen.told}\n`, terminal.errIsScreen));
    await using agent = await createAgent(
      {
        model: chosen.model,
        servers,
        parameters: parametersFrom(flags),
        limits: {
          onMaxTurns: flags.onMaxTurns,
          ...(flags.maxTurns !== undefined
            ? { maxTurns: flags.maxTurns }
            : asked !== undefined
              ? { maxTurns: ONE_SHOT_TURNS }
              : {}),
        },
        toolMode: flags.toolMode,
        allow: flags.allow,
        ...(flags.system === undefined ? {} : { instructions: flags.system }),
        ...approvalFor(terminal, reader, () => current?.cancel()),
      },
      platform,
    );
    tellServers(agent, terminal);
    const track = (run: AgentRun): AgentRun => {
      current = run;
      const over = (): void => {
        current = null;
      };
      run.result.then(over, over);
      return run;
    };
    if (asked !== undefined) {
      const code = await answerOnce({ agent, question: asked, terminal, json: flags.json === true, track });
      return signals.exitCode() ?? code;
    }
    return await new Conversation({ agent, terminal, reader, track, signals }).talk();
  } finally {
    reader.close();
    signals.dispose();
  }
}

function approvalFor(terminal: Terminal, reader: LineReader, onInterrupt: () => void): { approve?: AskApproval } {
  return terminal.interactive ? { approve: createTerminalApproval({ terminal, reader, onInterrupt }) } : {};
}

function parametersFrom(flags: ChatFlags): ModelParameters {
  return {
    ...(flags.temperature === undefined ? {} : { temperature: flags.temperature }),
    ...(flags.topP === undefined ? {} : { topP: flags.topP }),
    ...(flags.maxTokens === undefined ? {} : { maxOutputTokens: flags.maxTokens }),
    ...(flags.stop.length === 0 ? {} : { stop: flags.stop }),
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
  };
}

function checkAllowed(allow: readonly string[]): void {
  const wrong = allow.find((reference) => !/^[^/]+\/.+$/.test(reference));
  if (wrong === undefined) return;
  throw new ToolyardError({
    code: 'bad_config',
    message: `--allow ${wrong}: it takes a server and a tool, such as files/read_file.`,
    hint: 'In a chat, /tools lists them.',
  });
}

/** A server that is not there is told, not fatal: the others work. */
function tellServers(agent: Agent, { err, errIsScreen }: Terminal): void {
  for (const server of agent.servers) {
    if (server.state === 'ready') {
      const tools = `${server.toolCount} ${server.toolCount === 1 ? 'tool' : 'tools'}`;
      err.write(dim(`server ${server.id}: ${tools}\n`, errIsScreen));
      for (const { name, reason } of server.skipped) {
        err.write(dim(`  left out ${plainLine(name)}: ${plainLine(reason)}\n`, errIsScreen));
      }
    } else {
      reportFailure(
        new ToolyardError(server.error ?? { code: 'internal', message: `${server.id} is ${server.state}.` }),
        err,
      );
    }
  }
}

import type { Agent, AgentOptions } from '@toolyard/agent-host';
import { createAgent, nodePlatform } from '@toolyard/agent-host/node';
import type { ServerConfig } from '@toolyard/mcp-host';
import { killOrphans } from '@toolyard/mcp-host/node';
import { defined, systemClock } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { chooseModel } from '../choose-model.ts';
import type { ChatFlags } from '../flags.ts';
import { plain } from '../plain.ts';
import { dataDirFrom } from '../server/data-dir.ts';
import { addressIn } from '../server/server-client.ts';
import { serversFrom } from '../servers.ts';
import { showLaunches } from '../show-launches.ts';
import { agentPartner } from './agent-partner.ts';
import { answerOnce } from './answer-once.ts';
import { createTerminalApproval, createTerminalAskUser, createTerminalQuestions } from './approval.ts';
import { Conversation } from './conversation.ts';
import type { Answering, ServerLine } from './partner.ts';
import { parametersFrom, readQuestion } from './read-flags.ts';
import { onStopSignal } from './stop-signals.ts';
import type { LineReader, Terminal } from './terminal.ts';
import { createLineReader, dim, terminalOf } from './terminal.ts';
import { tellServers } from './told.ts';
import { UnderWay } from './under-way.ts';

const ONE_SHOT_TURNS = 5;

/** `toolyard chat [question]` with a loop of its own; gives the exit code. */
export async function chatCommand(io: CommandIo, question: string | undefined, flags: ChatFlags): Promise<number> {
  const terminal = terminalOf(io);
  const asked = await readQuestion(question, flags, terminal.input);

  // Who answers a stop changes in the course of a chat: at first nobody, then the run under way.
  const underWay = new UnderWay();
  const signals = onStopSignal(io, () => underWay.cancel());
  const reader = createLineReader(terminal);
  try {
    await killOrphans(systemClock);
    const platform = nodePlatform({ sandbox: { dataFolders: [dataDirFrom(undefined, io)] } });
    const chosen = await chooseModel(flags, { env: io.env, fetch: platform.fetch, clock: platform.clock });
    const servers = serversFrom(flags, io);
    terminal.err.write(dim(`model: ${chosen.told}\n`, terminal));
    await using signIn = await signInFor(io, servers);
    await using agent = await createAgent(
      {
        model: chosen.model,
        servers,
        ...(signIn === null ? {} : { signIn: signIn.options }),
        parameters: parametersFrom(flags),
        limits: {
          onMaxTurns: flags.onMaxTurns ?? 'answer',
          ...(flags.maxTurns !== undefined
            ? { maxTurns: flags.maxTurns }
            : asked !== undefined
              ? { maxTurns: ONE_SHOT_TURNS }
              : {}),
        },
        whileConnecting: (health) => showLaunches(io, health),
        toolMode: flags.toolMode ?? 'native',
        allow: flags.allow,
        ...defined({ instructions: flags.system }),
        ...personAt(terminal, reader, () => underWay.cancel()),
      },
      { ...platform, policy: { ...platform.policy, own: ownPlaces(dataDirFrom(undefined, io)) } },
    );
    tellServers(linesOf(agent), terminal);
    const partner = agentPartner(agent);
    const track = (run: Answering): Answering => underWay.track(run);
    if (asked !== undefined) {
      const code = await answerOnce({ partner, question: asked, terminal, json: flags.json === true, track });
      return signals.exitCode() ?? code;
    }
    return await new Conversation({ partner, terminal, reader, track, signals }).talk();
  } finally {
    reader.close();
    signals.dispose();
  }
}

/** Toolyard itself: its data folder, and the port of the server that uses it, if one does. */
function ownPlaces(dataFolder: string): { dataFolder: string; port?: number } {
  const url = addressIn(dataFolder)?.url;
  const port = url === undefined || !URL.canParse(url) ? 0 : Number(new URL(url).port);
  return { dataFolder, ...(port === 0 ? {} : { port }) };
}

/** What somebody has signed in to with `toolyard mcp auth`. */
async function signInFor(io: CommandIo, servers: readonly ServerConfig[]) {
  if (!servers.some(({ transport }) => transport.type === 'http' || transport.type === 'sse')) return null;
  const { machineSignIn } = await import('@toolyard/server/machine-servers');
  const log = (line: string): void => void io.stderr.write(`toolyard: ${plain(line)}\n`);
  return machineSignIn({ dataDir: dataDirFrom(undefined, io), env: io.env, log });
}

function personAt(
  terminal: Terminal,
  reader: LineReader,
  onInterrupt: () => void,
): Pick<AgentOptions, 'approve' | 'askUser' | 'questions'> {
  if (!terminal.interactive) return {};
  const at = { terminal, reader, onInterrupt };
  return {
    approve: createTerminalApproval(at),
    askUser: createTerminalAskUser(at),
    questions: createTerminalQuestions(at),
  };
}

function linesOf(agent: Agent): ServerLine[] {
  return agent.servers.map(({ id, state, toolCount, skipped, error }) => ({
    id,
    state,
    tools: toolCount,
    skipped,
    ...defined({ error }),
  }));
}

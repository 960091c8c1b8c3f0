import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Agent, AgentOptions } from '@toolyard/agent-host';
import { TOOL_SEARCH } from '@toolyard/agent-host';
import { COMPUTE_TOOLS, createAgent, nodePlatform } from '@toolyard/agent-host/node';
import type { ServerConfig } from '@toolyard/mcp-host';
import { killOrphans } from '@toolyard/mcp-host/node';
import { defined, formatToolReference, systemClock } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { chooseModel } from '../choose-model.ts';
import type { ChatFlags } from '../flags.ts';
import { sanitize } from '../sanitize.ts';
import { dataDirFrom } from '../server/data-dir.ts';
import { addressIn } from '../server/server-client.ts';
import { serversFrom } from '../servers.ts';
import { showLaunches } from '../show-launches.ts';
import { createAgentBackend } from './agent-backend.ts';
import { answerOnce } from './answer-once.ts';
import { createTerminalApproval, createTerminalAskUser, createTerminalInterruptHandlers } from './approval.ts';
import { TerminalConversation } from './conversation.ts';
import type { ChatRun, ServerSummary } from './chat-backend.ts';
import { localWorkspace } from './workspace-folder.ts';
import { checkAllowMatches, parametersFrom, readUserMessage } from './read-flags.ts';
import { onStopSignal } from './stop-signals.ts';
import type { TerminalLineReader, Terminal } from './terminal.ts';
import { createTerminalLineReader, dim, createTerminal } from './terminal.ts';
import { printServers } from './print-servers.ts';
import { CurrentRun } from './current-run.ts';

const ONE_SHOT_TURNS = 5;

/** `toolyard chat [question]`, executed in this process. Returns the exit code. */
export async function chatCommand(io: CommandIo, message: string | undefined, flags: ChatFlags): Promise<number> {
  const terminal = createTerminal(io);
  const prompt = await readUserMessage(message, flags, terminal.input);

  // A stop signal cancels the current run, if there is one.
  const currentRun = new CurrentRun();
  const signals = onStopSignal(io, () => currentRun.cancel());
  const reader = createTerminalLineReader(terminal);
  try {
    await killOrphans(systemClock);
    const platform = nodePlatform({ sandbox: { dataFolders: [dataDirFrom(undefined, io)] } });
    const chosen = await chooseModel(flags, {
      env: io.env,
      fetch: platform.fetch,
      clock: platform.clock,
      onLoading: (text) => terminal.err.write(dim(`${text}\n`, terminal)),
    });
    const servers = serversFrom(flags, io);
    const workspace = flags.workspace === undefined ? undefined : localWorkspace(flags.workspace, io.cwd);
    terminal.err.write(dim(`model: ${chosen.description}\n`, terminal));
    await using signIn = await signInFor(io, servers);
    await using agent = await createAgent(
      {
        model: chosen.model,
        servers,
        // printServers() reports them.
        failedServers: 'continue',
        builtIn: [COMPUTE_TOOLS, TOOL_SEARCH],
        ...(signIn === null ? {} : { signIn: signIn.options }),
        parameters: parametersFrom(flags),
        limits: {
          onMaxTurns: flags.onMaxTurns ?? 'answer',
          ...(flags.maxTurns !== undefined
            ? { maxTurns: flags.maxTurns }
            : prompt !== undefined
              ? { maxTurns: ONE_SHOT_TURNS }
              : {}),
        },
        whileConnecting: (health) => showLaunches(io, health),
        toolMode: flags.toolMode ?? 'native',
        allow: flags.allow,
        ...defined({ instructions: flags.system }),
        ...withRoots(
          terminalHandlers(terminal, reader, () => currentRun.cancel()),
          servers,
          workspace,
        ),
      },
      { ...platform, policy: { ...platform.policy, own: ownResources(dataDirFrom(undefined, io)) } },
    );
    printServers(listSummaries(agent), terminal);
    const references = agent.tools.map(({ tool }) => formatToolReference(tool));
    checkAllowMatches(flags.allow, references, agent.servers);
    const backend = createAgentBackend(agent);
    const track = (run: ChatRun): ChatRun => currentRun.track(run);
    if (prompt !== undefined) {
      const code = await answerOnce({ backend, message: prompt, terminal, json: flags.json === true, track });
      return signals.exitCode() ?? code;
    }
    return await new TerminalConversation({ backend, terminal, reader, track, signals }).run();
  } finally {
    reader.close();
    signals.dispose();
  }
}

/** The data folder, and the port of the server that uses it; tools must reach neither. */
function ownResources(dataFolder: string): { dataFolder: string; port?: number } {
  const url = addressIn(dataFolder)?.url;
  const port = url === undefined || !URL.canParse(url) ? 0 : Number(new URL(url).port);
  return { dataFolder, ...(port === 0 ? {} : { port }) };
}

/** Sign-ins made with `toolyard mcp auth`. */
async function signInFor(io: CommandIo, servers: readonly ServerConfig[]) {
  if (!servers.some(({ transport }) => transport.type === 'http' || transport.type === 'sse')) return null;
  const { machineSignIn } = await import('@toolyard/server/machine-servers');
  const log = (line: string): void => void io.stderr.write(`toolyard: ${sanitize(line)}\n`);
  return machineSignIn({ dataDir: dataDirFrom(undefined, io), env: io.env, log });
}

function terminalHandlers(
  terminal: Terminal,
  reader: TerminalLineReader,
  onInterrupt: () => void,
): Pick<AgentOptions, 'approve' | 'askUser' | 'interrupts'> {
  if (!terminal.interactive) return {};
  const at = { terminal, reader, onInterrupt };
  return {
    approve: createTerminalApproval(at),
    askUser: createTerminalAskUser(at),
    interrupts: createTerminalInterruptHandlers(at),
  };
}

/** Offers the workspace to the local servers; others cannot open it, and do not receive its path. */
function withRoots<Handlers extends Pick<AgentOptions, 'interrupts'>>(
  handlers: Handlers,
  servers: readonly ServerConfig[],
  workspace: string | undefined,
): Handlers {
  if (workspace === undefined) return handlers;
  const isLocal = (id: string): boolean => servers.some((one) => one.id === id && one.transport.type === 'stdio');
  const root = { uri: pathToFileURL(workspace).href, name: basename(workspace) };
  const roots: NonNullable<AgentOptions['interrupts']>['roots'] = ({ serverId }) => (isLocal(serverId) ? [root] : []);
  return { ...handlers, interrupts: { ...handlers.interrupts, roots } };
}

function listSummaries(agent: Agent): ServerSummary[] {
  return agent.servers.map(({ id, state, toolCount, skipped, error }) => ({
    id,
    state,
    tools: toolCount,
    skipped,
    ...defined({ error }),
  }));
}

import { createUuidSource } from '@toolyard/agent-host';
import type { AgentConfiguration, AgentView, ConversationView, ModelReference } from '@toolyard/protocol';
import { defined, formatToolReference, systemClock, textOf, ToolyardError } from '@toolyard/protocol';
import { findAgent } from '../server/find-by-name.ts';
import { findGroup } from '../server/find-by-name.ts';
import { answerOnce } from '../chat/answer-once.ts';
import { TerminalConversation } from '../chat/conversation.ts';
import type { ChatRun } from '../chat/chat-backend.ts';
import { workspaceOnServer } from '../chat/workspace-folder.ts';
import { checkAllowMatches, parametersFrom, readUserMessage } from '../chat/read-flags.ts';
import { onStopSignal } from '../chat/stop-signals.ts';
import type { Terminal } from '../chat/terminal.ts';
import { createTerminalLineReader, dim, createTerminal } from '../chat/terminal.ts';
import { printServers } from '../chat/print-servers.ts';
import { CurrentRun } from '../chat/current-run.ts';
import type { CommandIo } from '../command-io.ts';
import type { ChatFlags } from '../flags.ts';
import { sanitize, plainLine } from '../sanitize.ts';
import type { ServerClient } from '../server/server-client.ts';
import { serverClient } from '../server/server-client.ts';
import { askAtTerminal } from './ask-at-terminal.ts';
import type { ServerChat } from './server-chat-flags.ts';
import { findModel, shortName } from './server-models.ts';
import { ServerBackend } from './server-backend.ts';

const RECONNECT_TIMEOUT_SECONDS = 30;

/** `toolyard chat --server`: a chat whose runs execute on a running server. Returns the exit code. */
export async function serverChatCommand(io: CommandIo, chat: ServerChat, flags: ChatFlags): Promise<number> {
  const terminal = createTerminal(io);
  const print = (line: string): void => void terminal.err.write(dim(`${sanitize(line)}\n`, terminal));
  const prompt = await readUserMessage(chat.message, flags, terminal.input);

  const currentRun = new CurrentRun();
  // Ctrl-C cancels the run. Closing the terminal does not: the run continues on the server.
  const signals = onStopSignal(io, (signal) => signal === 'SIGINT' && currentRun.cancel());
  const reader = createTerminalLineReader(terminal);
  try {
    const client = clientFor(io, chat, flags);
    const session = await client.get('/api/session');
    print(`server: ${client.url} (Toolyard ${session.version})`);
    const conversation = flags.conversation === undefined ? undefined : await open(client, flags.conversation);
    const agent = flags.agent === undefined ? undefined : await findAgent(client, flags.agent);
    const group = flags.group === undefined ? undefined : await findGroup(client, flags.group);
    if (group) print(`group: ${plainLine(group.title) || 'untitled'}`);
    if (agent) print(`agent: ${plainLine(agent.title) || 'untitled'}`);
    const { model, configuration } = await selectModel(client, flags, { conversation, agent, cwd: io.cwd }, print);
    if (prompt === undefined) await printMcpServers(client, terminal);
    await checkAllow(client, flags.allow);
    if (conversation) printConversation(conversation, print);

    const backend = new ServerBackend(
      {
        client,
        clock: systemClock,
        ids: createUuidSource(),
        configuration,
        ...defined({ conversation, agentId: agent?.id, groupId: group?.id }),
        ask: askAtTerminal({ terminal, reader, allow: flags.allow, print }),
        print,
        reconnectTimeoutMs: (flags.reconnectTimeout ?? RECONNECT_TIMEOUT_SECONDS) * 1_000,
        continueCommand: (id) =>
          `toolyard chat --server${chat.server === undefined ? '' : ` ${chat.server}`} --conversation ${id}`,
      },
      model,
    );
    const track = (run: ChatRun): ChatRun => currentRun.track(run);
    if (prompt !== undefined) {
      const code = await answerOnce({ backend, message: prompt, terminal, json: flags.json === true, track });
      return signals.exitCode() ?? code;
    }
    const joined =
      terminal.interactive && conversation?.activeRun ? backend.join(conversation.activeRun.id) : undefined;
    if (joined) printUserMessage(conversation, print);
    return await new TerminalConversation({
      backend,
      terminal,
      reader,
      track,
      signals,
      ...(joined ? { joined } : {}),
    }).run();
  } finally {
    reader.close();
    signals.dispose();
  }
}

function clientFor(io: CommandIo, { server }: ServerChat, { token, dataDir }: ChatFlags): ServerClient {
  const flags = {
    ...defined({ server, token, dataDir }),
  };
  return serverClient(flags, io, (input, init) => globalThis.fetch(input, init));
}

function open(client: ServerClient, id: string): Promise<ConversationView> {
  return client.get('/api/conversations/{id}', { params: { id } });
}

/** Selects the model and prints it. @throws ToolyardError if the server has none */
async function selectModel(
  client: ServerClient,
  flags: ChatFlags,
  {
    conversation,
    agent,
    cwd,
  }: { conversation: ConversationView | undefined; agent: AgentView | undefined; cwd: string },
  print: (line: string) => void,
): Promise<{ model: ModelReference; configuration: AgentConfiguration }> {
  const offered = await client.get('/api/models');
  const chosen = flags.model === undefined ? undefined : findModel(flags.model, offered, client.url);
  const ofAgent = agent?.configuration.model;
  const model = chosen ?? ofAgent ?? (conversation ? conversation.resolved.model : offered.defaultModel);
  if (!model) {
    throw new ToolyardError({
      code: 'model_not_found',
      message: `The server at ${client.url} has no models.`,
      hint: 'Add a provider in the settings of its web UI, or name a model with --model.',
    });
  }
  print(`model: ${plainLine(shortName(model, offered.models))}`);
  const { workspace } = flags;
  const folder = workspace === undefined ? undefined : workspaceOnServer(workspace, cwd, client.url);
  if (folder !== undefined) print(`workspace: ${plainLine(folder)}`);
  return { model, configuration: { ...configurationFrom(flags, chosen), ...defined({ workspace: folder }) } };
}

function configurationFrom(flags: ChatFlags, model: ModelReference | undefined): AgentConfiguration {
  const parameters = parametersFrom(flags);
  const limits = {
    ...defined({ maxTurns: flags.maxTurns, onMaxTurns: flags.onMaxTurns }),
  };
  return {
    ...defined({ model, instructions: flags.system }),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...defined({ toolMode: flags.toolMode }),
  };
}

async function checkAllow(client: ServerClient, allow: readonly string[]): Promise<void> {
  if (allow.length === 0) return;
  const { items } = await client.get('/api/mcp/servers');
  const references = items.flatMap(({ tools }) => tools.map(({ tool }) => formatToolReference(tool)));
  checkAllowMatches(allow, references, items);
}

async function printMcpServers(client: ServerClient, terminal: Terminal): Promise<void> {
  const { items } = await client.get('/api/mcp/servers');
  const active = items.filter(({ state }) => state !== 'idle' && state !== 'disabled');
  printServers(
    active.map(({ id, state, tools, skipped, error }) => ({
      id,
      state,
      tools: tools.length,
      skipped,
      ...defined({ error }),
    })),
    terminal,
  );
}

function printConversation({ id, title, leafId }: ConversationView, print: (line: string) => void): void {
  const note = leafId === null ? '' : ' (/history shows its messages)';
  print(`conversation ${id}: ${plainLine(title) || 'untitled'}${note}`);
}

/** Prints the message that the joined run answers. */
function printUserMessage(conversation: ConversationView | undefined, print: (line: string) => void): void {
  const message = conversation?.page.messages.findLast(({ role }) => role === 'user');
  print(`answer in progress${message ? ` to: ${plainLine(textOf(message))}` : ''}`);
}

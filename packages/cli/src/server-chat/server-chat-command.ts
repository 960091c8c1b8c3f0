import { createUuidSource } from '@toolyard/agent-host';
import type { AgentConfiguration, ConversationView, ModelReference } from '@toolyard/protocol';
import { defined, systemClock, textOf, ToolyardError } from '@toolyard/protocol';
import { answerOnce } from '../chat/answer-once.ts';
import { TerminalConversation } from '../chat/conversation.ts';
import type { ChatRun } from '../chat/chat-backend.ts';
import { parametersFrom, readQuestion } from '../chat/read-flags.ts';
import { onStopSignal } from '../chat/stop-signals.ts';
import type { Terminal } from '../chat/terminal.ts';
import { createTerminalLineReader, dim, terminalOf } from '../chat/terminal.ts';
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

const WAIT_SECONDS = 30;

/** `toolyard chat --server`: the same chat, where a running server runs the loop. Gives the exit code. */
export async function serverChatCommand(io: CommandIo, chat: ServerChat, flags: ChatFlags): Promise<number> {
  const terminal = terminalOf(io);
  const tell = (line: string): void => void terminal.err.write(dim(`${sanitize(line)}\n`, terminal));
  const asked = await readQuestion(chat.question, flags, terminal.input);

  const currentRun = new CurrentRun();
  // Ctrl-C stops the answer. Whoever closes the terminal only stops watching: the run goes on.
  const signals = onStopSignal(io, (signal) => signal === 'SIGINT' && currentRun.cancel());
  const reader = createTerminalLineReader(terminal);
  try {
    const client = clientFor(io, chat, flags);
    const session = await client.get('/api/session');
    tell(`server: ${client.url} (Toolyard ${session.version})`);
    const conversation = flags.conversation === undefined ? undefined : await open(client, flags.conversation);
    const { model, configuration } = await tellModel(client, flags, conversation, tell);
    if (asked === undefined) await tellMcpServers(client, terminal);
    if (conversation) tellConversation(conversation, tell);

    const backend = new ServerBackend(
      {
        client,
        clock: systemClock,
        ids: createUuidSource(),
        configuration,
        ...defined({ conversation }),
        ask: askAtTerminal({ terminal, reader, allow: flags.allow, tell }),
        tell,
        waitMs: (flags.wait ?? WAIT_SECONDS) * 1_000,
        goOn: (id) =>
          `toolyard chat --server${chat.server === undefined ? '' : ` ${chat.server}`} --conversation ${id}`,
      },
      model,
    );
    const track = (run: ChatRun): ChatRun => currentRun.track(run);
    if (asked !== undefined) {
      const code = await answerOnce({ backend, question: asked, terminal, json: flags.json === true, track });
      return signals.exitCode() ?? code;
    }
    const joined =
      terminal.interactive && conversation?.activeRun ? backend.join(conversation.activeRun.id) : undefined;
    if (joined) tellQuestion(conversation, tell);
    return await new TerminalConversation({
      backend,
      terminal,
      reader,
      track,
      signals,
      ...(joined ? { joined } : {}),
    }).talk();
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

/** Says which model will answer; throws ToolyardError where there is none. */
async function tellModel(
  client: ServerClient,
  flags: ChatFlags,
  conversation: ConversationView | undefined,
  tell: (line: string) => void,
): Promise<{ model: ModelReference; configuration: AgentConfiguration }> {
  const offered = await client.get('/api/models');
  const chosen = flags.model === undefined ? undefined : findModel(flags.model, offered, client.url);
  const model = chosen ?? (conversation ? conversation.resolved.model : offered.defaultModel);
  if (!model) {
    throw new ToolyardError({
      code: 'model_not_found',
      message: `The server at ${client.url} has no model.`,
      hint: 'Set one up in its page, or name one with --model.',
    });
  }
  tell(`model: ${plainLine(shortName(model, offered.models))}`);
  return { model, configuration: configurationFrom(flags, chosen) };
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

async function tellMcpServers(client: ServerClient, terminal: Terminal): Promise<void> {
  const { items } = await client.get('/api/mcp/servers');
  const here = items.filter(({ state }) => state !== 'idle' && state !== 'disabled');
  printServers(
    here.map(({ id, state, tools, skipped, error }) => ({
      id,
      state,
      tools: tools.length,
      skipped,
      ...defined({ error }),
    })),
    terminal,
  );
}

function tellConversation({ id, title, leafId }: ConversationView, tell: (line: string) => void): void {
  const said = leafId === null ? '' : ' (/history shows what was said)';
  tell(`conversation ${id}: ${plainLine(title) || 'untitled'}${said}`);
}

/** What the run that is joined answers. */
function tellQuestion(conversation: ConversationView | undefined, tell: (line: string) => void): void {
  const question = conversation?.page.messages.findLast(({ role }) => role === 'user');
  tell(`an answer is under way${question ? ` to: ${plainLine(textOf(question))}` : ''}`);
}

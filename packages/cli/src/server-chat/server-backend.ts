import type {
  AgentConfiguration,
  Clock,
  ContinueConversation,
  ConversationView,
  IdSource,
  Message,
  ModelReference,
  ModelsView,
  SendMessage,
} from '@toolyard/protocol';
import { defined, formatToolReference, readsOnlyInside, ToolyardError } from '@toolyard/protocol';
import type { ChatRun, ChatBackend } from '../chat/chat-backend.ts';
import { toolLine } from '../chat/print-servers.ts';
import { plainLine } from '../sanitize.ts';
import { wholeBranch } from '../server/conversations.ts';
import type { ServerClient } from '../server/server-client.ts';
import { Reconnector } from './reconnector.ts';
import type { AskUserAtTerminal } from './interrupt-prompts.ts';
import { RemoteRun } from './remote-run.ts';
import { findModel, createUnofferedModelError, shortName } from './server-models.ts';
import { Steering } from './steering.ts';
import { createRequestError } from '../errors.ts';

export type ServerBackendOptions = {
  client: ServerClient;
  clock: Clock;
  ids: IdSource;
  /** Model, instructions and parameters from the flags; apply to messages of this chat. */
  configuration: AgentConfiguration;
  /** The conversation to continue; by default the first message creates one. */
  conversation?: ConversationView;
  /** The agent of a new conversation. */
  agentId?: string;
  /** The group that answers in a new conversation, instead of an agent. */
  groupId?: string;
  ask: AskUserAtTerminal;
  /** Prints a line for the user. */
  print: (line: string) => void;
  reconnectTimeoutMs: number;
  /** The command that continues a conversation. */
  continueCommand: (conversationId: string) => string;
};

/** A chat backend that runs conversations on a server, where the web UI shows them, too. */
export class ServerBackend implements ChatBackend {
  readonly #options: ServerBackendOptions;
  #configuration: AgentConfiguration;
  /** The model of the next message; null if the server has none. */
  #model: ModelReference | null;
  #conversation: { id: string; isCreated: boolean };

  constructor(options: ServerBackendOptions, model: ModelReference | null) {
    const { conversation, ids } = options;
    this.#options = options;
    this.#configuration = options.configuration;
    this.#model = model;
    this.#conversation = conversation ? { id: conversation.id, isCreated: true } : { id: ids.next(), isCreated: false };
  }

  ask(text: string): ChatRun {
    const { client, ids } = this.#options;
    const conversation = this.#conversation;
    const message: SendMessage = {
      id: ids.next(),
      parts: [{ type: 'text', text }],
      whenBusy: 'refuse',
      configuration: this.#configuration,
    };
    const params = { id: conversation.id };
    return this.#run(conversation.id, async () => {
      if (!conversation.isCreated) await this.#create(conversation);
      const sent = await client.post('/api/conversations/{id}/messages', { params, body: message });
      if ('run' in sent) return sent.run.id;
      throw new ToolyardError({
        code: 'conflict',
        message: 'The message was queued: another run of the conversation is in progress.',
      });
    });
  }

  continue(): ChatRun {
    const { client } = this.#options;
    const { id, isCreated } = this.#conversation;
    return this.#run(id, async () => {
      if (!isCreated) throw createRequestError('The conversation has no messages yet.');
      const body: ContinueConversation = { configuration: this.#configuration };
      return (await client.post('/api/conversations/{id}/continue', { params: { id }, body })).run.id;
    });
  }

  /** Follows a run in progress, from its first event. */
  join(runId: string): ChatRun {
    return this.#run(this.#conversation.id, async () => runId);
  }

  async history(): Promise<readonly Message[]> {
    const { client } = this.#options;
    return this.#conversation.isCreated ? wholeBranch(client, await this.#view()) : [];
  }

  clear(): void {
    this.#conversation = { id: this.#options.ids.next(), isCreated: false };
  }

  async tools(): Promise<readonly string[]> {
    const { items } = await this.#options.client.get('/api/mcp/servers');
    const tools = items.flatMap(({ builtIn, tools }) =>
      tools.map(({ tool, title, description, annotations, permission }) =>
        toolLine({
          reference: formatToolReference(tool),
          needsApproval: permission === null && !(builtIn && readsOnlyInside(annotations)),
          description: description ?? title ?? '',
        }),
      ),
    );
    const missing = items
      .filter(({ state }) => state !== 'ready')
      .map(({ id, state, error }) => `${plainLine(id)}: ${plainLine(error?.message ?? state)}`);
    return [...tools, ...missing];
  }

  async models(): Promise<readonly { name: string; current: boolean }[]> {
    const { models } = await this.#models();
    return models.map((model) => ({
      name: shortName(model, models),
      current: model.providerId === this.#model?.providerId && model.modelId === this.#model.modelId,
    }));
  }

  async useModel(name: string): Promise<string> {
    const { client } = this.#options;
    const offered = await this.#models();
    const model = findModel(name, offered, client.url);
    if (this.#conversation.isCreated) {
      const { id, configuration } = await this.#view();
      await client.patch('/api/conversations/{id}', {
        params: { id },
        body: { configuration: { ...configuration, model } },
      });
    }
    this.#configuration = { ...this.#configuration, model };
    this.#model = model;
    return shortName(model, offered.models);
  }

  async explain(error: ToolyardError): Promise<ToolyardError> {
    if (error.code !== 'model_not_found' || !this.#model) return error;
    try {
      return createUnofferedModelError(this.#model.modelId, (await this.#models()).models, this.#options.client.url);
    } catch {
      // The original error says more than the failure to list models.
      return error;
    }
  }

  async #create(conversation: { id: string; isCreated: boolean }): Promise<void> {
    const { client, print, agentId, groupId } = this.#options;
    const body = { id: conversation.id, configuration: this.#configuration, ...defined({ agentId, groupId }) };
    await client.post('/api/conversations', { body });
    conversation.isCreated = true;
    print(`conversation ${conversation.id}`);
  }

  #run(conversationId: string, begin: () => Promise<string>): RemoteRun {
    const { client, clock, ids, ask, print, reconnectTimeoutMs: timeoutMs, continueCommand } = this.#options;
    const command = continueCommand(conversationId);
    const reconnector = new Reconnector({
      clock,
      timeoutMs,
      print,
      hint: () => `The run resumes when the server restarts. Follow it with: ${command}`,
    });
    const createUnansweredError = (): ToolyardError =>
      new ToolyardError({
        code: 'cancelled',
        message: 'The run waits for an answer to its interrupt.',
        hint: `Answer in the web UI, or with: ${command}`,
      });
    const steering = new Steering({
      client,
      reconnector,
      ids,
      conversationId,
      configuration: this.#configuration,
      print,
    });
    const join = (runId: string): ChatRun => this.#run(conversationId, async () => runId);
    return new RemoteRun({ client, clock, reconnector, begin, ask, steering, join, createUnansweredError });
  }

  #view(): Promise<ConversationView> {
    return this.#options.client.get('/api/conversations/{id}', { params: { id: this.#conversation.id } });
  }

  #models(): Promise<ModelsView> {
    return this.#options.client.get('/api/models');
  }
}

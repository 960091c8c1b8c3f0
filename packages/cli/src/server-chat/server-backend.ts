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
import { formatToolReference, ToolyardError } from '@toolyard/protocol';
import type { ChatRun, ChatBackend } from '../chat/chat-backend.ts';
import { toolLine } from '../chat/print-servers.ts';
import { plainLine } from '../sanitize.ts';
import { wholeBranch } from '../server/conversations.ts';
import type { ServerClient } from '../server/server-client.ts';
import { Reconnector } from './reconnector.ts';
import type { AskUserAtTerminal } from './questions.ts';
import { RemoteRun } from './remote-run.ts';
import { findModel, noModel, shortName } from './server-models.ts';
import { Steering } from './steering.ts';

export type ServerBackendOptions = {
  client: ServerClient;
  clock: Clock;
  ids: IdSource;
  /** What the person said of model, instructions and the like; counts for what is asked here. */
  configuration: AgentConfiguration;
  /** The one to go on with; absent: a new one begins with the first question. */
  conversation?: ConversationView;
  ask: AskUserAtTerminal;
  /** One line for the person. */
  tell: (line: string) => void;
  /** How long a server that went away is waited for. */
  waitMs: number;
  /** The command that goes on with a conversation. */
  goOn: (conversationId: string) => string;
};

/** A running server as whom a chat talks with: what is said there is in its page, too. */
export class ServerBackend implements ChatBackend {
  readonly #options: ServerBackendOptions;
  #configuration: AgentConfiguration;
  /** The model of the conversation, or of what begins next; null where the server has none. */
  #model: ModelReference | null;
  #conversation: { id: string; begun: boolean };

  constructor(options: ServerBackendOptions, model: ModelReference | null) {
    const { conversation, ids } = options;
    this.#options = options;
    this.#configuration = options.configuration;
    this.#model = model;
    this.#conversation = conversation ? { id: conversation.id, begun: true } : { id: ids.next(), begun: false };
  }

  ask(question: string): ChatRun {
    const { client, ids } = this.#options;
    const conversation = this.#conversation;
    const message: SendMessage = {
      id: ids.next(),
      parts: [{ type: 'text', text: question }],
      whenBusy: 'refuse',
      configuration: this.#configuration,
    };
    const params = { id: conversation.id };
    return this.#run(conversation.id, async () => {
      if (!conversation.begun) await this.#begin(conversation);
      const sent = await client.post('/api/conversations/{id}/messages', { params, body: message });
      if ('run' in sent) return sent.run.id;
      throw new ToolyardError({ code: 'conflict', message: 'This question waits in the queue of the conversation.' });
    });
  }

  continue(): ChatRun {
    const { client } = this.#options;
    const { id, begun } = this.#conversation;
    return this.#run(id, async () => {
      if (!begun) throw new ToolyardError({ code: 'bad_request', message: 'Nothing has been said yet.' });
      const body: ContinueConversation = { configuration: this.#configuration };
      return (await client.post('/api/conversations/{id}/continue', { params: { id }, body })).run.id;
    });
  }

  /** Follows a run of the conversation that is under way already, from its beginning. */
  join(runId: string): ChatRun {
    return this.#run(this.#conversation.id, async () => runId);
  }

  async history(): Promise<readonly Message[]> {
    const { client } = this.#options;
    return this.#conversation.begun ? wholeBranch(client, await this.#view()) : [];
  }

  clear(): void {
    this.#conversation = { id: this.#options.ids.next(), begun: false };
  }

  async tools(): Promise<readonly string[]> {
    const { items } = await this.#options.client.get('/api/mcp/servers');
    const tools = items.flatMap(({ builtIn, tools }) =>
      tools.map(({ tool, title, description, readOnly, permission }) =>
        toolLine({
          reference: formatToolReference(tool),
          asksFirst: permission === null && !(builtIn && readOnly),
          about: description ?? title ?? '',
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
    if (this.#conversation.begun) {
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
      return noModel(this.#model.modelId, (await this.#models()).models, this.#options.client.url);
    } catch {
      // That the others cannot be listed says less than what went wrong first.
      return error;
    }
  }

  async #begin(conversation: { id: string; begun: boolean }): Promise<void> {
    const { client, tell } = this.#options;
    await client.post('/api/conversations', { body: { id: conversation.id, configuration: this.#configuration } });
    conversation.begun = true;
    tell(`conversation ${conversation.id}`);
  }

  #run(conversationId: string, begin: () => Promise<string>): RemoteRun {
    const { client, clock, ids, ask, tell, waitMs, goOn } = this.#options;
    const command = goOn(conversationId);
    const patience = new Reconnector({
      clock,
      waitMs,
      tell,
      hint: () => `The run goes on when the server is started again; see how with: ${command}`,
    });
    const leftOpen = (): ToolyardError =>
      new ToolyardError({
        code: 'cancelled',
        message: 'The run waits for an answer that is not given here.',
        hint: `Give it in the page, or with: ${command}`,
      });
    const steering = new Steering({
      client,
      patience,
      ids,
      conversationId,
      configuration: this.#configuration,
      tell,
    });
    const join = (runId: string): ChatRun => this.#run(conversationId, async () => runId);
    return new RemoteRun({ client, clock, patience, begin, ask, steering, join, leftOpen });
  }

  #view(): Promise<ConversationView> {
    return this.#options.client.get('/api/conversations/{id}', { params: { id: this.#conversation.id } });
  }

  #models(): Promise<ModelsView> {
    return this.#options.client.get('/api/models');
  }
}

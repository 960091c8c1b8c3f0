import type { AgentConfiguration, IdSource, SendMessage, SentMessage } from '@toolyard/protocol';
import { toErrorInfo, ToolyardError } from '@toolyard/protocol';
import { plainLine } from '../sanitize.ts';
import type { ServerClient } from '../server/server-client.ts';
import type { Reconnector } from './reconnector.ts';

export type SteeringOptions = {
  client: ServerClient;
  patience: Reconnector;
  ids: IdSource;
  conversationId: string;
  /** Counts where a run of its own answers what was said. */
  configuration: AgentConfiguration;
  /** One line for the person. */
  tell: (line: string) => void;
};

/** Said to a run and not heard by it: to be asked again, or answered by a run of its own already. */
export type UndeliveredMessage = { text: string } | { runId: string };

type Said = { id: string; text: string; sent: Promise<SentMessage | null> };

/** What a person says while a run of the server is under way. */
export class Steering {
  readonly #options: SteeringOptions;
  #said: Said[] = [];

  constructor(options: SteeringOptions) {
    this.#options = options;
  }

  say(text: string): void {
    const id = this.#options.ids.next();
    const before = this.#said.at(-1)?.sent ?? Promise.resolve(null);
    this.#said.push({ id, text, sent: before.then(() => this.#send(id, text)) });
  }

  /** The run has taken it in. */
  heard(messageId: string): void {
    this.#said = this.#said.filter(({ id }) => id !== messageId);
  }

  /** What is left once the run is over; nothing of it waits at the server any more. */
  async undelivered(): Promise<UndeliveredMessage[]> {
    const left: UndeliveredMessage[] = [];
    for (const { id, text, sent } of this.#said.splice(0)) {
      const outcome = await sent;
      if (outcome === null) continue;
      if ('run' in outcome) left.push({ runId: outcome.run.id });
      // A message that leaves the queue by itself begins a run of its id.
      else left.push((await this.#takeBack(id)) ? { text } : { runId: id });
    }
    return left;
  }

  async #send(id: string, text: string): Promise<SentMessage | null> {
    const { client, patience, conversationId, configuration, tell } = this.#options;
    const message: SendMessage = { id, parts: [{ type: 'text', text }], whenBusy: 'steer', configuration };
    try {
      return await patience.until(() =>
        client.post('/api/conversations/{id}/messages', { params: { id: conversationId }, body: message }),
      );
    } catch (thrown) {
      tell(`not sent: ${plainLine(text)} (${toErrorInfo(thrown).message})`);
      return null;
    }
  }

  async #takeBack(id: string): Promise<boolean> {
    const { client, patience, conversationId } = this.#options;
    const params = { id: conversationId, item: id };
    try {
      await patience.until(() => client.delete('/api/conversations/{id}/queue/{item}', { params }));
      return true;
    } catch (thrown) {
      if (ToolyardError.isInstance(thrown) && thrown.code === 'not_found') return false;
      throw thrown;
    }
  }
}

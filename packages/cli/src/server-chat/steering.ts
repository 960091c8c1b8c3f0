import type { AgentConfiguration, IdSource, SendMessage, SentMessage } from '@toolyard/protocol';
import { toErrorInfo, ToolyardError } from '@toolyard/protocol';
import { plainLine } from '../sanitize.ts';
import type { ServerClient } from '../server/server-client.ts';
import type { Reconnector } from './reconnector.ts';

export type SteeringOptions = {
  client: ServerClient;
  reconnector: Reconnector;
  ids: IdSource;
  conversationId: string;
  /** Applies if a new run answers the message. */
  configuration: AgentConfiguration;
  /** Prints a line for the user. */
  print: (line: string) => void;
};

/** A message that the run did not receive: its text, or the run that already answers it. */
export type UndeliveredMessage = { text: string } | { runId: string };

type PendingMessage = { id: string; text: string; sent: Promise<SentMessage | null> };

/** Sends messages into a run on the server. */
export class Steering {
  readonly #options: SteeringOptions;
  #pending: PendingMessage[] = [];

  constructor(options: SteeringOptions) {
    this.#options = options;
  }

  send(text: string): void {
    const id = this.#options.ids.next();
    const previous = this.#pending.at(-1)?.sent ?? Promise.resolve(null);
    this.#pending.push({ id, text, sent: previous.then(() => this.#send(id, text)) });
  }

  /** The run has received the message. */
  delivered(messageId: string): void {
    this.#pending = this.#pending.filter(({ id }) => id !== messageId);
  }

  /** After the end of the run: takes the messages that it did not receive out of the server's queue. */
  async takeUndelivered(): Promise<UndeliveredMessage[]> {
    const undelivered: UndeliveredMessage[] = [];
    for (const { id, text, sent } of this.#pending.splice(0)) {
      const outcome = await sent;
      if (outcome === null) continue;
      if ('run' in outcome) undelivered.push({ runId: outcome.run.id });
      // A queued message that the server has taken has started a run with the ID of the message.
      else undelivered.push((await this.#dequeue(id)) ? { text } : { runId: id });
    }
    return undelivered;
  }

  async #send(id: string, text: string): Promise<SentMessage | null> {
    const { client, reconnector, conversationId, configuration, print } = this.#options;
    const message: SendMessage = { id, parts: [{ type: 'text', text }], whenBusy: 'steer', configuration };
    try {
      return await reconnector.retry(() =>
        client.post('/api/conversations/{id}/messages', { params: { id: conversationId }, body: message }),
      );
    } catch (thrown) {
      print(`not sent: ${plainLine(text)} (${toErrorInfo(thrown).message})`);
      return null;
    }
  }

  async #dequeue(id: string): Promise<boolean> {
    const { client, reconnector, conversationId } = this.#options;
    const params = { id: conversationId, item: id };
    try {
      await reconnector.retry(() => client.delete('/api/conversations/{id}/queue/{item}', { params }));
      return true;
    } catch (thrown) {
      if (ToolyardError.isInstance(thrown) && thrown.code === 'not_found') return false;
      throw thrown;
    }
  }
}

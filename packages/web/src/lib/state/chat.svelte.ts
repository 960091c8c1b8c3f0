// A placeholder of the agreed shape, until the real one takes its place.
import type {
  AgentConfiguration,
  ConversationView,
  InterruptAnswer,
  QueuedMessage,
  RunRecord,
  UserPart,
} from '@toolyard/protocol';
import type { ApiError } from '../api/client.ts';
import type { Row } from '../transcript/rows.ts';

class ChatStore {
  view: ConversationView | null = $state.raw(null);
  rows: readonly Row[] = $state.raw([]);
  busy = $state(false);
  loading = $state(false);
  run: RunRecord | null = $state.raw(null);
  queue: readonly QueuedMessage[] = $state.raw([]);
  error: ApiError | null = $state.raw(null);
  configuration: AgentConfiguration = $state.raw({});
  async open(_id: string): Promise<void> {}
  close(): void {}
  async send(_parts: UserPart[], _options?: { whenBusy?: 'queue' | 'interrupt' | 'refuse' }): Promise<void> {}
  async stop(): Promise<void> {}
  async regenerate(_id: string): Promise<void> {}
  async editAndSend(_id: string, _parts: UserPart[]): Promise<void> {}
  async show(_id: string): Promise<void> {}
  async answer(_id: string, _answer: InterruptAnswer): Promise<void> {}
  async retry(): Promise<void> {}
  async loadEarlier(): Promise<void> {}
  async configure(_change: Partial<AgentConfiguration>): Promise<void> {}
  async changeQueued(_id: string, _change: object): Promise<void> {}
  async removeQueued(_id: string): Promise<void> {}
  async sendQueued(_id: string): Promise<void> {}
}

export const chat = new ChatStore();

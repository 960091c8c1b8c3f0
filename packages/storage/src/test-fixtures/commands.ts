import type { SharedStorage } from '../storage.ts';
import type { EngineUnderTest } from './conformance/setup.ts';

/** Operations beside runs, for the conformance suite. */
export function createCommands(storage: SharedStorage): Omit<EngineUnderTest, 'handle' | 'clockAdvanced' | 'close'> {
  return {
    async createConversation(principal, id) {
      await storage.conversations.create(principal, { id, title: id, at: 1 });
    },
    readLeaf: async (principal, id) => (await storage.conversations.get(principal, id))?.leafId ?? null,
    async setLeaf(principal, id, leafId) {
      await storage.conversations.setLeaf(principal, id, leafId);
    },
    async addQueued(principal, conversationId, id) {
      await storage.queue.add(principal, { id, conversationId, parts: [{ type: 'text', text: id }], at: 1 });
    },
    queuedIds: async (principal, id) => (await storage.queue.list(principal, id)).map((message) => message.id),
    async purgeConversation(principal, id) {
      await storage.conversations.purge(principal, id);
    },
    permissions: (principal) => storage.permissions.list(principal),
    messageIds: async (principal, id) => (await storage.messages.all(principal, id)).map((message) => message.id),
  };
}

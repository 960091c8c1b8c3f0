import type { ConversationExport, Message, Principal } from '@toolyard/protocol';
import type { StoredConversation } from '@toolyard/storage';
import { createArtifactStore } from '../../built-in/artifacts/artifact-store.ts';
import { readStoredConfiguration } from '../../config/agent-configuration.ts';
import { fileAnswer } from '../responses.ts';
import { inlineBlobs } from '../views/inline-blobs.ts';
import { conversationMarkdown } from '../views/conversation-markdown.ts';
import { conversationTranslations } from '../views/conversation-translations.ts';
import { findConversation } from '../views/conversation-view.ts';
import { createAttachmentHeader } from '../transport/file-name.ts';
import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

export function addExportRoute({ route }: Router, deps: HttpAppOptions): void {
  const { storage, clock } = deps;
  const artifacts = createArtifactStore(deps);

  route('GET /api/conversations/{id}/export', async ({ c, principal, params: { id }, query: { format } }) => {
    const conversation = await findConversation(deps, principal, id);
    const file = format === 'json' ? await asJson(principal, conversation) : await asMarkdown(principal, conversation);
    return fileAnswer(c, file.text, {
      'content-type': file.type,
      'content-disposition': createAttachmentHeader(conversation.title, file.extension),
    });
  });

  async function asJson(principal: Principal, conversation: StoredConversation) {
    const { id, title, configuration, leafId } = conversation;
    const messages: Message[] = [];
    for (const message of await storage.messages.all(principal, id)) {
      messages.push(await inlineBlobs(message, (sha256) => storage.blobs.read(principal, sha256)));
    }
    const translations = await conversationTranslations(storage, principal, id);
    const content: ConversationExport = {
      format: 'toolyard-conversation',
      version: 1,
      exportedAt: clock.now(),
      conversation: { id, title, configuration: readStoredConfiguration(configuration), leafId },
      messages,
      artifacts: await artifacts.exported(principal, id),
      ...(translations.length === 0 ? {} : { translations }),
    };
    return { text: `${JSON.stringify(content, null, 2)}\n`, type: 'application/json', extension: 'json' };
  }

  async function asMarkdown(principal: Principal, { id, title }: StoredConversation) {
    const translations = await conversationTranslations(storage, principal, id);
    const text = conversationMarkdown(title, await storage.messages.branch(principal, id), translations);
    return { text, type: 'text/markdown; charset=utf-8', extension: 'md' };
  }
}

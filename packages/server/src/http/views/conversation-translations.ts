import type { MessageTranslation, Principal } from '@toolyard/protocol';
import { messageTranslation } from '@toolyard/protocol/schemas';
import type { SharedStorage } from '@toolyard/storage';

/** The translations of a conversation; those into languages that only another version knows are left out. */
export async function conversationTranslations(
  storage: Pick<SharedStorage, 'translations'>,
  principal: Principal,
  conversationId: string,
): Promise<MessageTranslation[]> {
  const stored = await storage.translations.list(principal, conversationId);
  return stored.flatMap((translation) => {
    const parsed = messageTranslation.safeParse(translation);
    return parsed.success ? [parsed.data] : [];
  });
}

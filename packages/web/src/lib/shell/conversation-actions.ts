import { goto } from '$app/navigation';
import { conversationAddress, newChatAddress } from './addresses.ts';
import { t } from '../i18n/i18n.svelte.ts';
import { conversations } from '../sidebar/conversations.svelte.ts';
import { toasts } from '../state/toasts.svelte.ts';

type Named = { id: string; title: string };

/** Display name of an untitled conversation. */
export function getTitle({ title }: { title: string }): string {
  return title.trim() === '' ? t('sidebar.untitled') : title;
}

export async function rename({ id }: Named, title: string): Promise<void> {
  await conversations.update(id, { title }).catch(toasts.problem);
}

export async function pin({ id }: Named, pinned: boolean): Promise<void> {
  await conversations.update(id, { pinned }).catch(toasts.problem);
}

/** Deletes at once and offers to undo it, instead of asking first. */
export async function remove(conversation: Named, options: { isOpen: boolean }): Promise<void> {
  try {
    if (options.isOpen) await goto(newChatAddress());
    await conversations.remove(conversation.id);
  } catch (error) {
    return toasts.problem(error);
  }
  toasts.show(t('sidebar.deleted', { title: getTitle(conversation) }), {
    action: { label: t('common.undo'), run: () => void restore(conversation, options) },
  });
}

async function restore(conversation: Named, options: { isOpen: boolean }): Promise<void> {
  try {
    await conversations.restore(conversation.id);
    if (options.isOpen) await goto(conversationAddress(conversation.id));
  } catch (error) {
    toasts.problem(error);
  }
}

/** The server names the file. */
export async function download({ id }: Named, format: 'json' | 'markdown'): Promise<void> {
  const path = `/api/conversations/${encodeURIComponent(id)}/export?format=${format}`;
  await import('../api/save-from.ts')
    .then(({ saveFrom }) => saveFrom(path, `conversation.${format === 'json' ? 'json' : 'md'}`))
    .catch(toasts.problem);
}

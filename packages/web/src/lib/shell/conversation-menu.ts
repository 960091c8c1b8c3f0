import Download from '@lucide/svelte/icons/download';
import FileText from '@lucide/svelte/icons/file-text';
import Pencil from '@lucide/svelte/icons/pencil';
import Pin from '@lucide/svelte/icons/pin';
import PinOff from '@lucide/svelte/icons/pin-off';
import Trash from '@lucide/svelte/icons/trash-2';
import { t } from '../i18n/i18n.svelte.ts';
import type { MenuEntry } from '../ui/Menu.svelte';
import { download, pin, remove } from './conversation-actions.ts';

type Subject = { id: string; title: string; pinned: boolean };

/** Menu of a conversation, the same in the sidebar and above the chat. */
export function conversationMenu(subject: Subject, options: { isOpen: boolean; startRename: () => void }): MenuEntry[] {
  return [
    { label: t('sidebar.rename'), icon: Pencil, onselect: options.startRename },
    subject.pinned
      ? { label: t('sidebar.unpin'), icon: PinOff, onselect: () => void pin(subject, false) }
      : { label: t('sidebar.pin'), icon: Pin, onselect: () => void pin(subject, true) },
    'line',
    { label: t('sidebar.exportMarkdown'), icon: FileText, onselect: () => void download(subject, 'markdown') },
    { label: t('sidebar.exportJson'), icon: Download, onselect: () => void download(subject, 'json') },
    'line',
    { label: t('sidebar.delete'), icon: Trash, danger: true, onselect: () => void remove(subject, options) },
  ];
}

import { goto } from '$app/navigation';
import { api } from '../api/client.ts';
import { conversationAddress } from '../shell/addresses.ts';
import { live } from '../live/live.svelte.ts';
import { waiting } from './waiting.svelte.ts';
import { Inbox } from './inbox.svelte.ts';
import { Notifications } from './notifications.svelte.ts';

export const notifications = new Notifications({
  open: (conversationId) => void goto(conversationAddress(conversationId)),
  isWatched: () => document.hasFocus(),
});

export const inbox = new Inbox({
  api,
  live,
  show: (open, added) => {
    waiting.open = open;
    waiting.isKnown = true;
    void notifications.notify(added);
  },
});

export function startInbox(): void {
  inbox.watch();
}

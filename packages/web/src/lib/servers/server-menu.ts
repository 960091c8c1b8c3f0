import Image from '@lucide/svelte/icons/image';
import LogOut from '@lucide/svelte/icons/log-out';
import Pencil from '@lucide/svelte/icons/pencil';
import RotateCw from '@lucide/svelte/icons/rotate-cw';
import Trash2 from '@lucide/svelte/icons/trash-2';
import { t } from '../i18n/i18n.svelte.ts';
import type { MenuEntry } from '../ui/Menu.svelte';
import { ownIcons } from './own-icons.svelte.ts';
import type { ServerActions } from './server-actions.svelte.ts';
import type { ServerEdits } from './server-edits.ts';
import type { ShownServer } from './shown-server.ts';
import { needsApproval } from './shown-server.ts';

/** Menu of a server. */
export function serverMenu(server: ShownServer, actions: ServerActions, edits: ServerEdits): MenuEntry[] {
  const entries: MenuEntry[] = [];
  if (canReconnect(server)) {
    entries.push({ label: t('mcp.reconnect'), icon: RotateCw, onselect: () => void actions.reconnect(server) });
  }
  if (isEditable(server)) entries.push({ label: t('mcp.edit'), icon: Pencil, onselect: () => edits.edit(server) });
  if (server.hasIcon === true) {
    const isShown = ownIcons.isShown(server);
    entries.push({
      label: isShown ? t('mcp.hideIcon') : t('mcp.showIcon'),
      icon: Image,
      onselect: () => void (isShown ? ownIcons.hide(server) : ownIcons.show(server)),
    });
  }
  if (isSignedIn(server)) {
    entries.push({ label: t('mcp.signOut'), icon: LogOut, onselect: () => void actions.signOut(server) });
  }
  if (server.editable) {
    if (entries.length > 0) entries.push('line');
    entries.push({ label: t('mcp.remove'), icon: Trash2, danger: true, onselect: () => edits.remove(server) });
  }
  return entries;
}

/** An unapproved entry can be approved or removed, not edited. */
export function isEditable(server: ShownServer): boolean {
  return server.editable && !needsApproval(server);
}

export function canReconnect(server: ShownServer): boolean {
  const { fault, enabled, builtIn } = server;
  return fault === undefined && enabled && !builtIn && !needsApproval(server);
}

export function isSignedIn({ signIn }: ShownServer): boolean {
  return signIn?.state === 'signed_in';
}

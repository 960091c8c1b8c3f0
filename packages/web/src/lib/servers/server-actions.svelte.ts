import { ApiError } from '../api/error.ts';
import { t } from '../i18n/i18n.svelte.ts';
import { mcpStore } from '../mcp/mcp-store.svelte.ts';
import { servers } from '../state/servers.svelte.ts';
import { Attempt } from './attempt.svelte.ts';
import { serverApi } from './server-api.ts';
import type { ShownServer } from './shown-server.ts';
import { isOfBrowser } from './shown-server.ts';
import type { StartedTabSignIn } from './sign-in.ts';
import { signInHost, openTab } from './sign-in.ts';

/** Actions on one server, shared by all places that show it. */
export class ServerActions extends Attempt<
  'switch' | 'reconnect' | 'sign in' | 'sign out' | 'sandbox' | 'review' | 'approve'
> {
  signIn: StartedTabSignIn | null = $state.raw(null);

  switch(server: ShownServer, on: boolean): Promise<boolean> {
    const { id } = server;
    return this.make('switch', () => (isOfBrowser(server) ? mcpStore : servers).setEnabled(id, on));
  }

  reconnect(server: ShownServer): Promise<boolean> {
    const { id } = server;
    return this.make('reconnect', async () => {
      if (!isOfBrowser(server)) return servers.reconnect(id);
      // The error is in the server's health.
      await mcpStore.reconnect(id).catch(() => undefined);
    });
  }

  async beginSignIn(server: ShownServer): Promise<void> {
    const tab = openTab();
    const worked = await this.make('sign in', async () => {
      const { url } = await (isOfBrowser(server) ? beginSignInOfBrowser(server.id) : serverApi.signIn(server.id));
      const host = signInHost(url);
      if (host === null) throw new ApiError({ code: 'address_refused', status: 0, detail: t('mcp.signInBadAddress') });
      tab?.goTo(url);
      this.signIn = { url, host, opened: tab !== null };
    });
    if (!worked) tab?.close();
  }

  async signOut(server: ShownServer): Promise<void> {
    this.signIn = null;
    await this.make('sign out', () => (isOfBrowser(server) ? signOutOfBrowser : serverApi.signOut)(server.id));
  }
}

async function beginSignInOfBrowser(id: string): Promise<{ url: string }> {
  const { beginSignIn } = await import('../mcp/tab-host.ts');
  return beginSignIn(await mcpStore.host(), id);
}

async function signOutOfBrowser(id: string): Promise<void> {
  await (await mcpStore.host()).signOut(id);
  // That it needs a sign-in again is in its health.
  await mcpStore.reconnect(id).catch(() => undefined);
}

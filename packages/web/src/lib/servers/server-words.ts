import type { McpServerView } from '@toolyard/protocol';
import { showHidden } from '@toolyard/protocol';
import { t } from '../i18n/i18n.svelte.ts';

/** The display name of a server, with hidden characters shown. */
export function serverTitle({
  id,
  serverInfo,
  entry,
}: Pick<McpServerView, 'id' | 'serverInfo'> & {
  /** For a server of this browser: named by the user. */
  entry?: { name: string };
}): string {
  return showHidden(entry?.name ?? serverInfo?.title ?? id);
}

/** The state of a server as text. */
export function stateWords(server: Pick<McpServerView, 'state' | 'tools' | 'approval'>): string {
  if (server.approval !== undefined) return t('servers.stateNeedsApproval');
  switch (server.state) {
    case 'idle':
      return t('servers.stateIdle');
    case 'connecting':
      return t('servers.stateConnecting');
    case 'ready':
      return t('servers.stateReady', { count: server.tools.length });
    case 'failed':
      return t('servers.stateFailed');
    case 'reconnecting':
      return t('servers.stateReconnecting');
    case 'needs_sign_in':
      return t('servers.stateNeedsSignIn');
    case 'disabled':
      return t('servers.stateDisabled');
  }
}

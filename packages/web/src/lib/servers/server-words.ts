import type { McpServerView } from '@toolyard/protocol';
import { t } from '../i18n/i18n.svelte.ts';
import type { ShownServer } from './shown-server.ts';

/** What a person calls a server. */
export function serverTitle(server: ShownServer): string {
  if (server.origin === 'browser') return server.entry.name;
  return server.serverInfo?.title ?? server.id;
}

/** The state of a server in words. */
export function stateWords(server: Pick<McpServerView, 'state' | 'tools'>): string {
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

export const STATE_DOTS: Record<McpServerView['state'], string> = {
  idle: 'bg-line-strong',
  connecting: 'bg-warn animate-pulse',
  ready: 'bg-ok',
  failed: 'bg-danger',
  reconnecting: 'bg-warn animate-pulse',
  needs_sign_in: 'bg-warn',
  disabled: 'bg-line-strong',
};

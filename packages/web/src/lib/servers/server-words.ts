import type { McpServerView } from '@toolyard/protocol';
import { showHidden, showName } from '@toolyard/protocol';
import { t } from '../i18n/i18n.svelte.ts';
import { builtInText } from '../i18n/server-text.ts';

export type ServerLabel = {
  /** What the user calls the server. */
  name: string;
  /** The title that the server gives itself; null if it has none or it is the same. */
  title: string | null;
};

type NamedServer = Pick<McpServerView, 'id' | 'serverInfo'> & {
  builtIn?: boolean;
  /** For a server of this browser: its id was generated, the user chose this name. */
  entry?: { name: string };
};

/**
 * How a server is called everywhere. Two entries may start the same server, so its own title does not identify it. Hidden
 * characters are shown. Built-in servers have no name of the user.
 */
export function serverLabel({ id, serverInfo, builtIn = false, entry }: NamedServer): ServerLabel {
  const own = serverInfo?.title === undefined ? null : showHidden(serverInfo.title);
  if (builtIn) return { name: own === null ? showName(id) : builtInText(own).text, title: null };
  const name = showName(entry?.name ?? id);
  return { name, title: own === null || own.trim().toLowerCase() === name.toLowerCase() ? null : own };
}

/** A title or description of a tool, with hidden characters shown. Those of Toolyard's own tools are translated. */
export function toolText(text: string, server: { builtIn?: boolean } | undefined): string {
  return showHidden(server?.builtIn === true ? builtInText(text).text : text);
}

/**
 * The state of a server where it is switched on and off for all chats. One that is off stays "Off" while it is connected
 * because a chat has chosen it.
 */
export function defaultStateWords(server: Parameters<typeof stateWords>[0] & Pick<McpServerView, 'enabled'>): string {
  return isOffButUsed(server) ? `${t('servers.state_disabled')} · ${t('servers.usedByChat')}` : stateWords(server);
}

/** True for a server that is off by default and connected for a chat. */
function isOffButUsed({ enabled, state }: Pick<McpServerView, 'enabled' | 'state'>): boolean {
  return !enabled && (state === 'ready' || state === 'connecting' || state === 'reconnecting');
}

/** The state of a server as text. */
export function stateWords(server: Pick<McpServerView, 'state' | 'tools' | 'approval'>): string {
  if (server.approval !== undefined) return t('servers.stateNeedsApproval');
  return t(`servers.state_${server.state}`, { count: server.tools.length });
}

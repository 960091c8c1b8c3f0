import type { McpIsolation } from '@toolyard/protocol';
import { t } from '../i18n/i18n.svelte.ts';
import type { ShownServer } from './shown-server.ts';

/** Words about MCP whose translations are loaded with the panels: see `i18n.need`. */

/** Where a server is configured, as a note; null for the usual place. */
export function originNote(server: Pick<ShownServer, 'origin'>): string | null {
  switch (server.origin) {
    case 'built-in':
      return t('servers.builtIn');
    case 'flag':
      return t('mcp.fromFlag');
    case 'file':
      return null;
    case 'browser':
      return t('mcp.fromBrowser');
  }
}

/** A badge for a local server that can read everything the account of Toolyard can read; null for all others. */
export function isolationNote(server: ShownServer): string | null {
  if (server.origin === 'browser' || server.builtIn) return null;
  switch (server.isolation?.kind) {
    case 'unsandboxed':
    case 'unavailable':
      return t('mcp.unsandboxed');
    case 'docker':
      return server.isolation.exposed ? t('mcp.unsandboxed') : t('mcp.inDocker');
    default:
      return null;
  }
}

/** The sandbox of a local server as text; null if there is nothing to say. */
export function isolationWords(isolation: McpIsolation | undefined): string | null {
  switch (isolation?.kind) {
    case undefined:
      return null;
    case 'sandboxed':
      return { on: t('mcp.sandboxedOn'), off: t('mcp.sandboxedOff'), hosts: t('mcp.sandboxedHosts') }[
        isolation.network
      ];
    case 'docker':
      return [t('mcp.inDocker'), ...isolation.flags].join(', ');
    default:
      return t('mcp.unsandboxed');
  }
}

/** What a server offers, with counts; tools always, other kinds if there are any. */
export function offersWords(offers: ShownServer['offers']): string[] {
  return offersByTab(offers).map(({ words }) => words);
}

/** The same with the tab of the server's page that lists each. */
export function offersByTab({
  tools,
  resources = 0,
  templates = 0,
  prompts = 0,
}: ShownServer['offers']): { words: string; tab: 'tools' | 'resources' | 'prompts' }[] {
  return [
    { words: t('mcp.tools', { count: tools }), tab: 'tools' },
    ...(resources === 0 ? [] : [{ words: t('mcp.resources', { count: resources }), tab: 'resources' } as const]),
    ...(templates === 0 ? [] : [{ words: t('mcp.templates', { count: templates }), tab: 'resources' } as const]),
    ...(prompts === 0 ? [] : [{ words: t('mcp.prompts', { count: prompts }), tab: 'prompts' } as const]),
  ];
}

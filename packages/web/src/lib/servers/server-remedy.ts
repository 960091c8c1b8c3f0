import { t } from '../i18n/i18n.svelte.ts';
import { hiddenPaths } from './hidden-paths.ts';
import { allowReading } from './sandbox-edits.ts';
import type { ServerActions } from './server-actions.svelte.ts';
import { isEditable } from './server-menu.ts';
import type { ShownServer } from './shown-server.ts';
import { isOfBrowser } from './shown-server.ts';

/**
 * The quickest way out of the error of a server, the same wherever the error is shown: allow what the sandbox hides, else
 * edit the server. Undefined if it cannot be edited.
 */
export function findRemedy(
  server: ShownServer,
  actions: ServerActions,
  edit: (server: ShownServer) => void,
): { label: string; onclick: () => void } | undefined {
  if (!isEditable(server)) return undefined;
  const hidden = isOfBrowser(server) ? [] : hiddenPaths(server.isolation);
  if (hidden.length === 0) return { label: t('mcp.edit'), onclick: () => edit(server) };
  const { id } = server;
  return {
    label: t('mcp.allowReading'),
    onclick: () => void actions.make('sandbox', () => allowReading(id, hidden)),
  };
}

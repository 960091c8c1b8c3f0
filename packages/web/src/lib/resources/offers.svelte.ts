import type { McpPromptView, McpResourceView, McpTemplateView } from '@toolyard/protocol';
import { mcpStore } from '../mcp/mcp-store.svelte.ts';
import { serverLabel } from '../servers/server-words.ts';
import type { ShownServer } from '../servers/shown-server.ts';
import { serverRef } from '../servers/shown-server.ts';
import { isServerOn } from '../servers/tool-switches.ts';
import { live } from '../live/live.svelte.ts';
import { servers } from '../state/servers.svelte.ts';
import { currentTools } from '../composer/current.svelte.ts';
import { listPrompts, listResources, listTemplates, type ServerRef } from './server-requests.ts';

/** What one server offers to the user. */
export type ServerOffers = ServerRef & {
  label: string;
  prompts: readonly McpPromptView[];
  resources: readonly McpResourceView[];
  templates: readonly McpTemplateView[];
  /** Whether it completes arguments. */
  completes: boolean;
};

type Lists = Pick<ServerOffers, 'prompts' | 'resources' | 'templates'>;
const NOTHING: Lists = { prompts: [], resources: [], templates: [] };

/**
 * Prompts, resources and templates of all servers, server-side and in-tab alike. Listed once and kept up to date by the
 * live stream, so that menus need no request. A server that fails to list has no offers; its panel shows why.
 */
class Offers {
  loading = $state(false);
  /** True once everything was listed. */
  known = $state(false);
  #lists: ReadonlyMap<string, Lists> = $state.raw(new Map());
  #isWatched = false;
  #latest = 0;

  /** Those the open chat uses: an explicit choice for the chat applies to prompts and resources too. */
  readonly here: readonly ServerOffers[] = $derived.by(() => {
    const choices = currentTools();
    return this.#ready().flatMap((server): ServerOffers[] => {
      const ref = serverRef(server);
      if (!isServerOn(server, choices)) return [];
      const completes = server.capabilities?.completions === true;
      return [{ ...ref, label: serverLabel(server).name, completes, ...(this.#lists.get(getKey(ref)) ?? NOTHING) }];
    });
  });

  watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    servers.watch();
    live.onHello(() => void this.load());
    live.onChanged(({ what }) => {
      if (what === 'servers' || what === 'resources') void this.load();
    });
    $effect.root(() => {
      $effect(() => {
        void this.#ready().length;
        void mcpStore.resources.serverResources;
        void this.load();
      });
    });
  }

  async load(): Promise<void> {
    const request = ++this.#latest;
    this.loading = true;
    const ready = this.#ready();
    const places = [...new Set(ready.map((server) => serverRef(server).place))];
    const prompts = new Map(
      await Promise.all(
        places.map(async (place) => [place, await listPrompts(place).catch((): McpPromptView[] => [])] as const),
      ),
    );
    const lists = await Promise.all(
      ready.map(async (server): Promise<[string, Lists]> => {
        const ref = serverRef(server);
        const [resources, templates] = await Promise.all([
          server.capabilities?.resources === true ? listResources(ref).catch(() => []) : [],
          server.capabilities?.resources === true ? listTemplates(ref).catch(() => []) : [],
        ]);
        const own = prompts.get(ref.place)?.filter(({ serverId }) => serverId === server.id) ?? [];
        return [getKey(ref), { prompts: own, resources, templates }];
      }),
    );
    if (request !== this.#latest) return;
    this.#lists = new Map(lists);
    this.loading = false;
    this.known = true;
  }

  #ready(): ShownServer[] {
    return [...servers.list, ...mcpStore.list].filter(({ state }) => state === 'ready');
  }
}

export const offersOfServers = new Offers();

function getKey({ place, serverId }: ServerRef): string {
  return `${place}/${serverId}`;
}

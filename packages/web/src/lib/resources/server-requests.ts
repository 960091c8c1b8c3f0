import type {
  CompleteMcpArgument,
  McpCompletion,
  McpFilledPrompt,
  McpPromptView,
  McpResourceView,
  McpTemplateView,
  ResourcePart,
} from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { mcpStore } from '../mcp/mcp-store.svelte.ts';
import { live } from '../live/live.svelte.ts';
import { ServerFollows } from './server-follows.ts';

/** A server by where its connection is: on Toolyard's server or in this tab. */
export type ServerRef = { place: 'server' | 'tab'; serverId: string };

/** The same requests for servers of both places. All of them reject with an error that can be shown. */
export async function listResources({ place, serverId }: ServerRef): Promise<McpResourceView[]> {
  if (place === 'tab') return [...((await mcpStore.host()).resources.resources(serverId) as McpResourceView[])];
  return pages((query) => api.get('/api/mcp/servers/{id}/resources', { params: { id: serverId }, query }));
}

export async function listTemplates({ place, serverId }: ServerRef): Promise<McpTemplateView[]> {
  if (place === 'tab') return [...((await mcpStore.host()).resources.templates(serverId) as McpTemplateView[])];
  return pages((query) => api.get('/api/mcp/servers/{id}/resources/templates', { params: { id: serverId }, query }));
}

/** The prompts of all servers of a place; a server that fails does not hide the others. */
export async function listPrompts(place: ServerRef['place']): Promise<McpPromptView[]> {
  if (place === 'tab') return (await mcpStore.getAllPrompts()).prompts;
  return (await api.get('/api/mcp/prompts')).items;
}

export async function getPrompt(
  { place, serverId }: ServerRef,
  name: string,
  args: Record<string, string>,
): Promise<McpFilledPrompt> {
  if (place === 'tab') return mcpStore.getPrompt(serverId, name, args);
  const body = { name, arguments: args };
  return api.post('/api/mcp/servers/{id}/prompts/get', { params: { id: serverId }, body });
}

/** The contents, each labelled with its server. `fresh` asks the server even if they were read a moment ago. */
export async function readResource(
  { place, serverId }: ServerRef,
  uri: string,
  options: { fresh?: true } = {},
): Promise<ResourcePart[]> {
  const params = { id: serverId };
  const contents =
    place === 'tab'
      ? await mcpStore.readResource(serverId, uri, options)
      : (await api.post('/api/mcp/servers/{id}/resources/read', { params, body: { uri, ...options } })).contents;
  return contents.map((part) => ({ ...part, serverId }));
}

export async function completeArgument(
  { place, serverId }: ServerRef,
  request: CompleteMcpArgument,
  signal?: AbortSignal,
): Promise<McpCompletion> {
  const { target, argument, filledArguments } = request;
  if (place === 'tab') {
    return (await mcpStore.host()).complete(serverId, target, argument, filledArguments, defined({ signal }));
  }
  return api.post('/api/mcp/servers/{id}/complete', { params: { id: serverId }, body: request, signal });
}

const follows = new ServerFollows({ api, live, wait: (act, ms) => setTimeout(act, ms) });

/** Calls back when the server reports a change of the resource. A server without subscriptions never does. */
export async function followResource(
  { place, serverId }: ServerRef,
  uri: string,
  listener: () => void,
): Promise<() => void> {
  if (place === 'server') return follows.follow(serverId, uri, listener);
  const end = await mcpStore.resources.follow(serverId, uri, listener);
  return () => void end();
}

/** All pages of a list. */
async function pages<T>(
  read: (query: { after: number; limit: number }) => Promise<{ items: T[]; next?: string }>,
): Promise<T[]> {
  const items: T[] = [];
  for (let after = 0; ;) {
    const page = await read({ after, limit: 500 });
    items.push(...page.items);
    if (page.next === undefined) return items;
    after = Number(page.next);
  }
}

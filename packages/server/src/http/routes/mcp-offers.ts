import {
  callMcpTool,
  completeMcpArgument,
  getMcpPrompt,
  limit,
  mcpCompletion,
  mcpFilledPrompt,
  mcpLogPage,
  mcpPromptList,
  mcpResourceContents,
  mcpResourcePage,
  mcpTemplatePage,
  mcpToolPage,
  readMcpResource,
  toolResult,
  word,
} from '@toolyard/protocol/schemas';
import { z } from 'zod';
import type { Router } from '../router.ts';
import type { HttpDeps } from '../types.ts';

const piece = z.strictObject({ after: z.coerce.number().int().min(0).default(0), limit: limit(500) });

/** What servers offer, and what went on with them. */
export function addMcpOfferRoutes({ route }: Router, { servers }: HttpDeps): void {
  route({
    method: 'get',
    path: '/api/mcp/servers/{id}/log',
    summary: 'What happened with a server and what went over the wire; after tells from where on',
    query: z.strictObject({ after: word.exactOptional() }),
    answer: mcpLogPage,
    handle: ({ principal, params: { id }, query: { after } }) => servers.log(principal, id, after),
  });

  route({
    method: 'get',
    path: '/api/mcp/servers/{id}/tools',
    summary: 'The tools of a server with their schemas',
    query: piece,
    answer: mcpToolPage,
    handle: async ({ principal, params: { id }, query }) => pieceOf(await servers.tools(principal, id), query),
  });

  route({
    method: 'post',
    path: '/api/mcp/servers/{id}/call',
    summary: 'Call a tool, as a person and not for a model',
    scope: 'approve',
    body: callMcpTool,
    answer: toolResult,
    handle: ({ c, principal, params: { id }, body }) => servers.call(principal, id, body, c.req.raw.signal),
  });

  route({
    method: 'get',
    path: '/api/mcp/servers/{id}/resources',
    summary: 'The resources a server lists',
    query: piece,
    answer: mcpResourcePage,
    handle: async ({ principal, params: { id }, query }) => pieceOf(await servers.resources(principal, id), query),
  });

  route({
    method: 'get',
    path: '/api/mcp/servers/{id}/templates',
    summary: 'The resources whose address is made from arguments',
    query: piece,
    answer: mcpTemplatePage,
    handle: async ({ principal, params: { id }, query }) => pieceOf(await servers.templates(principal, id), query),
  });

  route({
    method: 'post',
    path: '/api/mcp/servers/{id}/read',
    summary: 'Read a resource',
    body: readMcpResource,
    answer: mcpResourceContents,
    handle: ({ c, principal, params: { id }, body: { uri } }) => servers.read(principal, id, uri, c.req.raw.signal),
  });

  route({
    method: 'get',
    path: '/api/mcp/prompts',
    summary: 'The prompts of all servers; those that could not be asked are named',
    answer: mcpPromptList,
    handle: ({ principal }) => servers.prompts(principal),
  });

  route({
    method: 'post',
    path: '/api/mcp/servers/{id}/prompts/get',
    summary: 'Fill in a prompt',
    body: getMcpPrompt,
    answer: mcpFilledPrompt,
    handle: ({ c, principal, params: { id }, body }) => servers.getPrompt(principal, id, body, c.req.raw.signal),
  });

  route({
    method: 'post',
    path: '/api/mcp/servers/{id}/complete',
    summary: 'What an argument of a prompt or of a resource template may become',
    body: completeMcpArgument,
    answer: mcpCompletion,
    handle: ({ c, principal, params: { id }, body }) => servers.complete(principal, id, body, c.req.raw.signal),
  });
}

/** A stretch of a list that is whole in memory; `next` is where the following one begins. */
function pieceOf<T>(all: readonly T[], { after, limit: most }: z.output<typeof piece>): { items: T[]; next?: string } {
  const end = after + most;
  return { items: all.slice(after, end), ...(end < all.length ? { next: String(end) } : {}) };
}

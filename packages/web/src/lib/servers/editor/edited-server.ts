import type { AddMcpServer, McpTestReport } from '@toolyard/protocol';
import { mcpStore } from '../../mcp/mcp-store.svelte.ts';
import { serverApi } from '../server-api.ts';
import type { ShownServer } from '../shown-server.ts';
import { isOfBrowser } from '../shown-server.ts';
import { fieldsOfBrowser, toBrowserDraft } from './browser-drafts.ts';
import type { ServerFields } from './server-form.ts';
import { EMPTY, toFields, limitFields, readCount, readSeconds, toDraft, toTest } from './server-form.ts';

/** The initial values of a server form. */
type Loaded = {
  fields: ServerFields;
  /** The stored transport, if it is readable. */
  saved: AddMcpServer | null;
  enabled: boolean;
  /** Why the server cannot be used as it is. */
  fault: string | null;
};

export async function loadFields(server: ShownServer): Promise<Loaded> {
  if (isOfBrowser(server)) {
    return { fields: fieldsOfBrowser(mcpStore.getDraft(server.id)), saved: null, enabled: server.enabled, fault: null };
  }
  const stored = await serverApi.configuration(server.id);
  const { id, transport, enabled, fault } = stored;
  const saved = transport === null ? null : { id, transport };
  const fields = { ...(saved === null ? { ...EMPTY, id } : toFields(saved)), ...limitFields(stored) };
  return { fields, saved, enabled, fault: fault?.message ?? null };
}

/** Adds the server of a form or changes the stored one; `enabled` applies if the form has no such field. */
export async function saveFields(fields: ServerFields, server: ShownServer | null, enabled: boolean): Promise<void> {
  if (fields.place === 'browser') {
    const draft = toBrowserDraft(fields, enabled);
    if (server === null) mcpStore.add(draft);
    else mcpStore.edit(server.id, draft);
    return;
  }
  const { id, transport } = toDraft(fields);
  const limits = {
    callTimeoutMs: readSeconds(fields.callTimeout) ?? null,
    connectTimeoutMs: readSeconds(fields.connectTimeout) ?? null,
    maxConcurrentCalls: readCount(fields.maxCalls) ?? null,
    processes: fields.oneConnection ? ('one' as const) : null,
  };
  if (server === null) await serverApi.add({ id, transport, enabled, ...limits });
  else await serverApi.edit(server.id, { transport, ...limits });
}

/** Connects with the values of the form, without affecting existing connections; nothing is stored. */
export async function testFields(
  fields: ServerFields,
  server: ShownServer | null,
  signal: AbortSignal,
): Promise<McpTestReport> {
  if (fields.place === 'browser') {
    return mcpStore.test(toBrowserDraft(fields, true), signal);
  }
  return serverApi.test(toTest(fields, server?.id ?? null), signal);
}

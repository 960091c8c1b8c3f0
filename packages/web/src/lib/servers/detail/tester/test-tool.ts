import type { JsonObject, McpToolTest, McpToolView } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { api } from '../../../api/client.ts';
import { t } from '../../../i18n/i18n.svelte.ts';
import { mcpStore } from '../../../mcp/mcp-store.svelte.ts';
import { callContextOfTool } from '../../../rules/call-context.ts';
import type { CallExplanation } from '../../../rules/explain-call.ts';
import { settings } from '../../../state/settings.svelte.ts';
import { serverApi } from '../../server-api.ts';
import type { ShownServer } from '../../shown-server.ts';
import { isOfBrowser } from '../../shown-server.ts';

export type CallToTry = { server: ShownServer; view: McpToolView; inputSchema: JsonObject; args: JsonObject };

/** What would happen if a model made this call in a chat without settings of its own. */
export async function getVerdict({ server, view, inputSchema, args }: CallToTry): Promise<CallExplanation> {
  const { intervention: mode = 'manual', interventionRules: rules = [], lostRules = false } = settings.defaults;
  const [{ explainToolCall }, context] = await Promise.all([
    import('../../../rules/explain-call.ts'),
    isOfBrowser(server) ? { inputSchema } : callContextOfTool(serverApi, server, view.tool.name),
  ]);
  return explainToolCall({ server, view, args, context }, { mode, rules, lostRules });
}

/**
 * Calls a tool by hand. The same check as for calls of models may forbid it, or flag it: then `evenIfFlagged` confirms
 * that the user has read why. Calls of servers of this browser are checked here, all others by Toolyard.
 */
export async function testTool(call: CallToTry, evenIfFlagged: boolean, signal: AbortSignal): Promise<McpToolTest> {
  const { server, view, args } = call;
  const { name: tool } = view.tool;
  if (!isOfBrowser(server)) {
    const body = { tool, arguments: args, evenIfFlagged };
    return api.post('/api/mcp/servers/{id}/tools/test', { params: { id: server.id }, body, signal });
  }
  const { decision, by } = await getVerdict(call);
  if (decision === 'refused') {
    return { decision: 'refused', error: { code: 'refused', message: t('inspect.refusedByRule') } };
  }
  if (by.kind === 'danger' && !evenIfFlagged) return { decision: 'flagged', why: by.why };
  const [{ testCall }, host] = await Promise.all([import('../../../mcp/host-functions.ts'), mcpStore.host()]);
  const tested = await testCall(host, systemClock, { tool: view.tool, args, options: { signal } });
  return { decision: 'called', call: tested };
}

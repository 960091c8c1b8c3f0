import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject, TAB_RUNS_VERSION, ToolyardError, say } from '@toolyard/protocol';
import { checkTabAppCall } from '../../mcp/call-from-app.ts';
import type { Router } from '../transport/router.ts';
import type { RouteContext } from '../route-context.ts';
import { findStarter } from '../transport/start-limits.ts';
import { checkParts } from '../chat-calls/user-parts.ts';

/** Tabs that offer the tools of their own MCP servers to runs of the server. */
export function addTabRoutes({ route }: Router, services: RouteContext): void {
  const { tabs, runs, storage } = services;
  route(
    'PUT /api/tabs/{tab}/conversations/{conversation}/tools',
    async ({ principal, params: { tab, conversation }, body }) => ({
      items: await tabs.offer(principal, tab, conversation, body),
    }),
  );

  route(
    'POST /api/tabs/{tab}/conversations/{conversation}/apps/check',
    ({ principal, params: { conversation }, body }) => checkTabAppCall(services, principal, conversation, body),
  );

  route('POST /api/tabs/{tab}/heartbeat', async ({ principal, params: { tab } }) => ({
    items: await tabs.renew(principal, tab),
  }));

  route('DELETE /api/tabs/{tab}', ({ principal, params: { tab } }) => tabs.leave(principal, tab));

  route('POST /api/tabs/{tab}/runs/{run}/calls/{call}/claim', ({ principal, params: { tab, run, call } }) =>
    tabs.claim(principal, tab, { runId: run, callId: call }),
  );

  route('POST /api/tabs/{tab}/runs/{run}/calls/{call}/result', ({ principal, params: { tab, run, call }, body }) =>
    tabs.finish(principal, tab, { runId: run, callId: call }, body),
  );

  route(
    'PUT /api/tabs/{tab}/runs/{run}/calls/{call}/questions/{question}',
    ({ principal, params: { tab, run, call, question }, body }) =>
      tabs.ask(principal, tab, { runId: run, callId: call }, { ...body, id: question }),
  );

  route(
    'POST /api/tabs/{tab}/runs',
    async ({ principal, params: { tab }, body: { v: _v, ...body } }) => {
      if ('parts' in body) {
        await checkParts(body.parts, async (sha256) => (await storage.blobs.info(principal, sha256)) !== null);
      }
      return runs.startInTab(principal, tab, body, findStarter(principal));
    },
    { precheck: refuseOlderPage },
  );

  route(
    'POST /api/tabs/{tab}/runs/{run}/claim',
    async ({ principal, params: { tab, run } }) => ({ held: await runs.takeInTab(principal, tab, run) }),
    { precheck: refuseOlderPage },
  );

  route('POST /api/tabs/{tab}/runs/{run}/lease', ({ principal, params: { tab, run }, body: { fence } }) =>
    runs.renewInTab(principal, tab, run, fence),
  );

  route(
    'POST /api/tabs/{tab}/runs/{run}/commit',
    ({ principal, params: { tab, run }, body: { v: _v, ...commit } }) =>
      runs.commitFromTab(principal, run, commit, { tabId: tab, starter: findStarter(principal) }),
    { precheck: refuseOlderPage },
  );

  route('POST /api/tabs/{tab}/runs/{run}/sub-agents', ({ principal, params: { tab, run }, body }) =>
    runs.startSubAgentsInTab(principal, tab, run, body),
  );

  route('POST /api/tabs/{tab}/runs/{run}/tools', ({ principal, params: { tab, run }, body }) =>
    runs.readToolsInTab(principal, tab, run, body),
  );

  route(
    'POST /api/tabs/{tab}/runs/{run}/tool-calls/{call}',
    ({ principal, params: { tab, run, call }, body: { fence } }) =>
      runs.makeCallInTab(principal, tab, { runId: run, callId: call }, fence),
  );

  route('POST /api/tabs/{tab}/runs/{run}/sub-agents/results', ({ principal, params: { run }, body }) =>
    runs.readSubAgentsInTab(principal, run, body.runs),
  );
}

/** The format may have changed; the run waits until the page is reloaded. */
function refuseOlderPage(body: JsonValue): void {
  const speaks = isJsonObject(body) ? body['v'] : undefined;
  if (speaks === TAB_RUNS_VERSION) return;
  const isNewer = typeof speaks === 'number' && speaks > TAB_RUNS_VERSION;
  throw new ToolyardError({
    code: 'outdated_page',
    message: `This page is ${isNewer ? 'newer' : 'older'} than the server.`,
    hint: say`Reload the page to continue the answer.`,
  });
}

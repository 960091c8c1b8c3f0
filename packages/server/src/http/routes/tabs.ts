import type { Router } from '../router.ts';
import { askFromTab, claimedTabCall, finishTabCall, offerTabTools, tabCallPage } from '../schemas/tabs.ts';
import type { HttpDeps } from '../types.ts';

const CALL = '/api/tabs/{tab}/runs/{run}/calls/{call}';
/** Definitions and results can be large; a server may send what fits into a response, too. */
const LONGEST_OFFER = 8 * 1_024 * 1_024;
const LONGEST_RESULT = 32 * 1_024 * 1_024;

/** Tabs that lend the tools of their own MCP servers to runs on the server. */
export function addTabRoutes({ route }: Router, { tabs }: HttpDeps): void {
  route({
    method: 'put',
    path: '/api/tabs/{tab}/offers/{conversation}',
    summary: 'The servers of a tab that runs of a conversation may use; gives the calls it may claim',
    body: offerTabTools,
    maxBodyBytes: LONGEST_OFFER,
    answer: tabCallPage,
    handle: async ({ principal, params: { tab, conversation }, body }) => ({
      items: await tabs.offer(principal, tab, conversation, body),
    }),
  });

  route({
    method: 'post',
    path: '/api/tabs/{tab}/renew',
    summary: 'The tab is there; gives the calls it may claim, and those it has with what was answered to them',
    answer: tabCallPage,
    handle: async ({ principal, params: { tab } }) => ({ items: await tabs.renew(principal, tab) }),
  });

  route({
    method: 'delete',
    path: '/api/tabs/{tab}',
    summary: 'The tab is shut, or loaded anew',
    handle: ({ principal, params: { tab } }) => tabs.leave(principal, tab),
  });

  route({
    method: 'post',
    path: `${CALL}/claim`,
    summary: 'Takes a call; of several tabs one has it',
    answer: claimedTabCall,
    handle: ({ principal, params: { tab, run, call } }) => tabs.claim(principal, tab, { runId: run, callId: call }),
  });

  route({
    method: 'post',
    path: `${CALL}/result`,
    summary: 'What came of a call; may be brought twice',
    body: finishTabCall,
    maxBodyBytes: LONGEST_RESULT,
    handle: ({ principal, params: { tab, run, call }, body }) =>
      tabs.finish(principal, tab, { runId: run, callId: call }, body),
  });

  route({
    method: 'put',
    path: `${CALL}/questions/{question}`,
    summary: 'Puts a question of the server of a call to a person; the answer comes with renew',
    body: askFromTab,
    handle: ({ principal, params: { tab, run, call, question }, body }) =>
      tabs.ask(principal, tab, { runId: run, callId: call }, { ...body, id: question }),
  });
}

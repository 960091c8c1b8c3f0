import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject, TAB_RUNS_VERSION, ToolyardError } from '@toolyard/protocol';
import {
  askFromTab,
  claimedTabCall,
  commitFromTab,
  committedFromTab,
  finishTabCall,
  heldRun,
  offerTabTools,
  startRunInTab,
  tabCallPage,
  tabLease,
  tabRunWishes,
  takenRun,
  takeRunInTab,
} from '@toolyard/protocol/schemas';
import type { Router } from '../router.ts';
import type { HttpDeps } from '../types.ts';
import { checkParts } from '../user-parts.ts';

const CALL = '/api/tabs/{tab}/runs/{run}/calls/{call}';
/** Definitions and results can be large; a server may send what fits into a response, too. */
const LONGEST_OFFER = 8 * 1_024 * 1_024;
const LONGEST_RESULT = 32 * 1_024 * 1_024;

/** Tabs that lend the tools of their own MCP servers to runs on the server. */
export function addTabRoutes({ route }: Router, { tabs, runs, storage }: HttpDeps): void {
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

  route({
    method: 'post',
    path: '/api/tabs/{tab}/runs',
    summary: 'Begins a run whose loop is in the tab; gives all it needs to go on',
    body: startRunInTab,
    precheck: refuseOlderPage,
    answer: heldRun,
    status: 201,
    async handle({ principal, params: { tab }, body: { v: _v, ...body } }) {
      if ('parts' in body) {
        await checkParts(body.parts, async (sha256) => (await storage.blobs.info(principal, sha256)) !== null);
      }
      return runs.startInTab(principal, tab, body);
    },
  });

  route({
    method: 'post',
    path: '/api/tabs/{tab}/runs/{run}/take',
    summary: 'The tab takes a run over, from whichever tab has it',
    body: takeRunInTab,
    precheck: refuseOlderPage,
    answer: takenRun,
    handle: async ({ principal, params: { tab, run } }) => ({ held: await runs.takeInTab(principal, tab, run) }),
  });

  route({
    method: 'post',
    path: '/api/tabs/{tab}/runs/{run}/lease',
    summary: 'The tab is at work; gives what was said to the run',
    body: tabLease,
    answer: tabRunWishes,
    handle: ({ principal, params: { tab, run }, body: { fence } }) => runs.renewInTab(principal, tab, run, fence),
  });

  route({
    method: 'post',
    path: '/api/tabs/{tab}/runs/{run}/commit',
    summary: 'What the run has to write, all or nothing; may be sent twice',
    body: commitFromTab,
    precheck: refuseOlderPage,
    maxBodyBytes: LONGEST_RESULT,
    answer: committedFromTab,
    handle: ({ principal, params: { run }, body: { v: _v, ...commit } }) => runs.commitFromTab(principal, run, commit),
  });
}

/** What it holds may have another form by now: the run stays as it is, for the page that is loaded anew. */
function refuseOlderPage(body: JsonValue): void {
  const speaks = isJsonObject(body) ? body['v'] : undefined;
  if (speaks === TAB_RUNS_VERSION) return;
  const isNewer = typeof speaks === 'number' && speaks > TAB_RUNS_VERSION;
  throw new ToolyardError({
    code: 'outdated_page',
    message: `This page is ${isNewer ? 'newer' : 'older'} than the server.`,
    hint: 'Reload it; the answer can go on then.',
  });
}

import {
  commitFromTabBody,
  committedFromTab,
  leasedTabRun,
  startRunInTabBody,
  tabLease,
  tabRunInbox,
  claimedTabRun,
  claimTabRunBody,
} from '../tab-runs.ts';
import { appCallVerdict, checkTabAppCallBody } from '../mcp-offers.ts';
import { readTabSubAgentsBody, startTabSubAgentsBody, tabSubAgentResults, tabSubAgents } from '../tab-sub-agents.ts';
import { madeTabToolCall, makeTabToolCallBody, readTabToolsBody, tabRunTools } from '../tab-tools.ts';
import { askFromTabBody, claimedTabCall, finishTabCallBody, offerTabToolsBody, tabCallPage } from '../tabs.ts';
import { defineRoutes } from './define-routes.ts';

/** Definitions and results can be large: as large as the largest response accepted from a server. */
const MAX_OFFER_BYTES = 8 * 1_024 * 1_024;
const MAX_RESULT_BYTES = 32 * 1_024 * 1_024;

export const tabsRoutes = defineRoutes({
  'PUT /api/tabs/{tab}/conversations/{conversation}/tools': {
    summary: 'Register the servers of a tab for runs of a conversation; returns the calls it may claim',
    body: offerTabToolsBody,
    maxBodyBytes: MAX_OFFER_BYTES,
    answer: tabCallPage,
  },
  'POST /api/tabs/{tab}/conversations/{conversation}/apps/check': {
    summary: 'Check a call that an app of a server of the tab requests, with the permissions of the conversation',
    body: checkTabAppCallBody,
    maxBodyBytes: MAX_OFFER_BYTES,
    answer: appCallVerdict,
  },
  'POST /api/tabs/{tab}/heartbeat': {
    summary:
      'Send the heartbeat of a tab; returns the calls it may claim, and its claimed calls with the answers ' +
      'to their questions',
    answer: tabCallPage,
  },
  'DELETE /api/tabs/{tab}': { summary: 'Remove a tab that was closed or reloaded' },
  'POST /api/tabs/{tab}/runs/{run}/calls/{call}/claim': {
    summary: 'Claim a call; only one tab succeeds',
    answer: claimedTabCall,
  },
  'POST /api/tabs/{tab}/runs/{run}/calls/{call}/result': {
    summary: 'Report the result of a call; idempotent',
    body: finishTabCallBody,
    maxBodyBytes: MAX_RESULT_BYTES,
  },
  'PUT /api/tabs/{tab}/runs/{run}/calls/{call}/questions/{question}': {
    summary: 'Ask the user a question from the server of a call; the answer is returned by the heartbeat',
    body: askFromTabBody,
  },
  'POST /api/tabs/{tab}/runs': {
    summary: 'Start a run that executes in the tab; returns all the tab needs to execute it',
    body: startRunInTabBody,
    answer: leasedTabRun,
    status: 201,
  },
  'POST /api/tabs/{tab}/runs/{run}/claim': {
    summary: 'Claim a run for this tab, replacing its current tab',
    body: claimTabRunBody,
    answer: claimedTabRun,
  },
  'POST /api/tabs/{tab}/runs/{run}/lease': {
    summary: 'Renew the lease of a run in this tab; returns its steering messages',
    body: tabLease,
    answer: tabRunInbox,
  },
  'POST /api/tabs/{tab}/runs/{run}/commit': {
    summary: 'Commit changes of a run atomically; idempotent',
    body: commitFromTabBody,
    maxBodyBytes: MAX_RESULT_BYTES,
    answer: committedFromTab,
  },
  'POST /api/tabs/{tab}/runs/{run}/sub-agents': {
    summary: 'Start sub-agents of a run in this tab, or turns of members of its group; idempotent',
    body: startTabSubAgentsBody,
    maxBodyBytes: MAX_OFFER_BYTES,
    answer: tabSubAgents,
  },
  'POST /api/tabs/{tab}/runs/{run}/sub-agents/results': {
    summary: 'Read the results of sub-agents of a run in this tab',
    body: readTabSubAgentsBody,
    answer: tabSubAgentResults,
  },
  'POST /api/tabs/{tab}/runs/{run}/tools': {
    summary: 'List the tools that the server has for a run in this tab, and judge calls by its policy',
    body: readTabToolsBody,
    maxBodyBytes: MAX_OFFER_BYTES,
    answer: tabRunTools,
  },
  'POST /api/tabs/{tab}/runs/{run}/tool-calls/{call}': {
    summary: 'Make a call of a run in this tab that the run has stored, with a tool of the server; idempotent',
    body: makeTabToolCallBody,
    answer: madeTabToolCall,
  },
});

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
import { askFromTabBody, claimedTabCall, finishTabCallBody, offerTabToolsBody, tabCallPage } from '../tabs.ts';
import { defineRoutes } from './define-routes.ts';

/** Definitions and results can be large; a server may send what fits into a response, too. */
const LONGEST_OFFER = 8 * 1_024 * 1_024;
const LONGEST_RESULT = 32 * 1_024 * 1_024;

export const tabsRoutes = defineRoutes({
  'PUT /api/tabs/{tab}/conversations/{conversation}/tools': {
    summary: 'The servers of a tab that runs of a conversation may use; gives the calls it may claim',
    body: offerTabToolsBody,
    maxBodyBytes: LONGEST_OFFER,
    answer: tabCallPage,
  },
  'POST /api/tabs/{tab}/heartbeat': {
    summary: 'The tab is there; gives the calls it may claim, and those it has with what was answered to them',
    answer: tabCallPage,
  },
  'DELETE /api/tabs/{tab}': { summary: 'The tab is shut, or loaded anew' },
  'POST /api/tabs/{tab}/runs/{run}/calls/{call}/claim': {
    summary: 'Takes a call; of several tabs one has it',
    answer: claimedTabCall,
  },
  'POST /api/tabs/{tab}/runs/{run}/calls/{call}/result': {
    summary: 'What came of a call; may be brought twice',
    body: finishTabCallBody,
    maxBodyBytes: LONGEST_RESULT,
  },
  'PUT /api/tabs/{tab}/runs/{run}/calls/{call}/questions/{question}': {
    summary: 'Puts a question of the server of a call to a person; the answer comes with renew',
    body: askFromTabBody,
  },
  'POST /api/tabs/{tab}/runs': {
    summary: 'Begins a run whose loop is in the tab; gives all it needs to go on',
    body: startRunInTabBody,
    answer: leasedTabRun,
    status: 201,
  },
  'POST /api/tabs/{tab}/runs/{run}/claim': {
    summary: 'The tab takes a run over, from whichever tab has it',
    body: claimTabRunBody,
    answer: claimedTabRun,
  },
  'POST /api/tabs/{tab}/runs/{run}/lease': {
    summary: 'The tab is at work; gives what was said to the run',
    body: tabLease,
    answer: tabRunInbox,
  },
  'POST /api/tabs/{tab}/runs/{run}/commit': {
    summary: 'What the run has to write, all or nothing; may be sent twice',
    body: commitFromTabBody,
    maxBodyBytes: LONGEST_RESULT,
    answer: committedFromTab,
  },
});

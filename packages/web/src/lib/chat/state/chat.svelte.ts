import { goto } from '$app/navigation';
import { api } from '../../api/client.ts';
import { moveNewDraftTo } from '../../composer/drafts.ts';
import { tabTools } from '../../mcp/tab-tools.ts';
import { conversationAddress } from '../../shell/addresses.ts';
import { runPlaces } from '../../runs/tab/run-places.svelte.ts';
import { readRun } from '../../transcript/read-run.ts';
import { uuid } from '../../transcript/uuid.ts';
import { ChatStore } from './chat-store.svelte.ts';
import { live } from '../../live/live.svelte.ts';

/** The conversation this tab shows. */
export const chat = new ChatStore({
  api,
  live,
  readRun,
  soon: withNextFrame,
  goTo: (conversationId) => {
    moveNewDraftTo(conversationId);
    return goto(conversationAddress(conversationId), { reset: false });
  },
  newId: () => uuid(),
  announceTools: tabTools.announce,
  startInTab: async (request) =>
    runPlaces.chosen === 'tab' ? (await import('../../runs/tab/tab-runs.ts')).startTabRun(request) : null,
  now: () => Date.now(),
});

/** A hidden tab has no animation frames, but still receives events. */
function withNextFrame(work: () => void): void {
  if (document.hidden) setTimeout(work, 100);
  else requestAnimationFrame(work);
}

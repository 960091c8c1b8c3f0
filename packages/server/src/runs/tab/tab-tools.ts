import { createHash } from 'node:crypto';
import type { Owner, RunRecord } from '@toolyard/protocol';
import type { RunsInTabs } from '../../services.ts';
import type { TabToolCalls } from './tab-tool-calls.ts';

export type TabToolsOptions = {
  calls: TabToolCalls;
  /** @throws ToolyardError `not_found` for a run that does not execute in a tab */
  getRun: (principal: Owner, runId: string) => Promise<RunRecord>;
  /** @throws ToolyardError `conflict` if the tab no longer has the lease */
  checkLease: (tabId: string, runId: string, fence: number) => Promise<void>;
};

/** The tools of the server for runs in tabs: only the tab that has the lease of a run uses them. */
export function createTabTools({
  calls,
  getRun,
  checkLease,
}: TabToolsOptions): Pick<RunsInTabs, 'readToolsInTab' | 'makeCallInTab'> {
  return {
    async readToolsInTab(principal, tabId, runId, { fence, calls: asked, known }) {
      const run = await getRun(principal, runId);
      await checkLease(tabId, runId, fence);
      const { judged, ...listed } = await calls.read(principal, run, asked);
      const version = createHash('sha256').update(JSON.stringify(listed)).digest('hex');
      const verdicts = judged.map(({ verdict }) => verdict);
      return { version, listed: version === known ? null : listed, verdicts };
    },

    async makeCallInTab(principal, tabId, { runId, callId }, fence) {
      const run = await getRun(principal, runId);
      await checkLease(tabId, runId, fence);
      return { result: await calls.make(principal, run, callId) };
    },
  };
}

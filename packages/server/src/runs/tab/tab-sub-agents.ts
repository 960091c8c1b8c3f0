import type { SubAgents } from '@toolyard/agent-host';
import type { Owner, RunRecord } from '@toolyard/protocol';
import { defined, ToolyardError, say } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { createInvalidError, createNotFoundError } from '../../errors.ts';
import type { RunsInTabs } from '../../services.ts';
import { createForbiddenWriteError } from './check-tab-commit.ts';
import type { RunConfiguration } from '../worker/stored-run.ts';
import { readStoredRun } from '../worker/stored-run.ts';

export type TabSubAgentsOptions = {
  storage: Pick<SharedStorage, 'runs' | 'runStates'>;
  subAgents: (of: { run: RunRecord; configuration: RunConfiguration }) => SubAgents;
  /** @throws ToolyardError `not_found` for a run that does not execute in a tab */
  getRun: (principal: Owner, runId: string) => Promise<RunRecord>;
  /** @throws ToolyardError `conflict` if the tab no longer has the lease */
  checkLease: (tabId: string, runId: string, fence: number) => Promise<void>;
};

/**
 * Child runs of runs in tabs. They execute on the server, so that closing the tab does not stop them; what limits them is
 * read from the stored run, not from the request.
 */
export function createTabSubAgents({
  storage,
  subAgents,
  getRun,
  checkLease,
}: TabSubAgentsOptions): Pick<RunsInTabs, 'startSubAgentsInTab' | 'readSubAgentsInTab'> {
  async function open(principal: Owner, run: RunRecord) {
    const kept = await storage.runStates.get(principal, run.id);
    if (kept === null) throw createNotFoundError(say`There is no run ${run.id} in a tab.`);
    const { configuration, point } = readStoredRun(kept);
    return { state: point.state, configuration, subAgents: subAgents({ run, configuration }) };
  }

  return {
    async startSubAgentsInTab(principal, tabId, runId, { fence, tasks, ...of }) {
      const run = await getRun(principal, runId);
      if (!of.callId.startsWith(`${runId}.`)) throw createForbiddenWriteError(`the call ${of.callId}`);
      await checkLease(tabId, runId, fence);
      const opened = await open(principal, run);
      if (opened.configuration.limits.maxDepth <= 0) {
        throw new ToolyardError({ code: 'tool_refused', message: say`This run may not delegate tasks.` });
      }
      const delegated = tasks.map(({ task, member }) => ({ ...task, ...defined({ member }) }));
      return { items: await opened.subAgents.start(delegated, { ...of, state: opened.state }) };
    },

    async readSubAgentsInTab(principal, runId, childIds) {
      const run = await getRun(principal, runId);
      const found = await Promise.all(childIds.map(async (id) => storage.runs.getRun(principal, id)));
      const foreign = childIds.find((_id, at) => {
        const child = found[at];
        return child != null && child.parentRunId !== runId;
      });
      if (foreign !== undefined) {
        throw createInvalidError(say`${foreign} is not a sub-agent of ${runId}.`);
      }
      const { subAgents: own } = await open(principal, run);
      const children = childIds.map((id) => ({ title: '', runId: id, conversationId: id }));
      const [results, answers] = await Promise.all([own.results(children), own.answers(childIds)]);
      return {
        items: results.map((result, at) => {
          const { status, text } = result;
          const error = 'error' in result ? result.error : undefined;
          return { status, text, ...defined({ error }), answer: answers[at] ?? null };
        }),
      };
    },
  };
}

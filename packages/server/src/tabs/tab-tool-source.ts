import type { FunctionTools, RunTools } from '@toolyard/agent-host';
import type { ApprovalInterrupt, Clock, Owner, ResolvedAgentConfiguration } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import type { RunHub } from '../live/hub.ts';
import type { TabCallsOf } from './tab-calls.ts';
import { TabCalls } from './tab-calls.ts';
import { createTabPins } from './tab-pins.ts';
import { TabAwareTools } from './tab-aware-tools.ts';

/** Tools of tabs, as runs use them. */
export type TabToolSource = {
  /** The tools of a run, including those of tabs and the functions of this process. */
  select(
    base: RunTools,
    of: TabCallsOf & {
      startedAt: number;
      configuration: Pick<ResolvedAgentConfiguration, 'servers' | 'disabledTools'>;
    },
  ): Promise<RunTools>;
  /** Approves the tool as shown with the interrupt: it is called without approval only while unchanged. */
  approve(principal: Owner, conversationId: string, of: Pick<ApprovalInterrupt, 'tool' | 'definition'>): Promise<void>;
};

export function createTabToolSource(of: {
  storage: Pick<SharedStorage, 'tabs' | 'blobs' | 'settings'>;
  hub: Pick<RunHub, 'listen' | 'changed'>;
  functions: FunctionTools;
  clock: Clock;
}): TabToolSource {
  const { storage, clock } = of;
  const calls = new TabCalls(of);
  const pins = createTabPins({ settings: storage.settings, clock });
  return {
    select: (base, { principal, runId, conversationId, startedAt, configuration }) =>
      TabAwareTools.open({
        base,
        functions: of.functions,
        of: { principal, runId, conversationId },
        startedAt,
        configuration,
        tabs: storage.tabs,
        calls,
        pins,
      }),
    async approve(principal, conversationId, approved) {
      const offers = await storage.tabs.offers(principal, { conversationId, seenSince: 0 });
      await pins.approve(
        principal,
        approved,
        offers.flatMap(({ servers }) => servers),
      );
    },
  };
}

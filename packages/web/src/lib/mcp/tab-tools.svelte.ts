import type { RunRecord, StartRunInTab } from '@toolyard/protocol';

/** Tasks of a tab with its own servers for its chats. */
type Lender = {
  /**
   * Announces to the server which tools this tab provides to a conversation; resolves when the server has stored it.
   */
  lend: (conversationId: string) => Promise<void>;
  /** Starts a run in this tab if the user wants that; null: on the server. */
  begin: (request: StartRunInTab) => Promise<RunRecord | null>;
};

/** Set once the tab has tools to provide; its code is loaded after the page. */
class Lending {
  /** Whether this tab has tools for the open chat. */
  offered = $state(false);
  by: Lender | null = null;

  /** Awaited before a run starts, so that it includes the tools of this tab. Never rejects. */
  readonly lendTo = async (conversationId: string): Promise<void> => {
    await this.by?.lend(conversationId).catch(() => undefined);
  };

  readonly startHere = async (request: StartRunInTab): Promise<RunRecord | null> =>
    (await this.by?.begin(request)) ?? null;
}

export const tabTools = new Lending();

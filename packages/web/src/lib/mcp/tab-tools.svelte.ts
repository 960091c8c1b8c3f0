import type { RunRecord, StartRunInTab } from '@toolyard/protocol';

/** What a tab that has servers of its own does for its chats. */
type Lender = {
  /** Tells the server what this tab lends to a conversation; resolves when it knows. */
  lend: (conversationId: string) => Promise<void>;
  /** Begins a run here, where the person wants that; null: on the server. */
  begin: (request: StartRunInTab) => Promise<RunRecord | null>;
};

/** Set once there is something to lend; all of it comes later than the page. */
class Lending {
  /** This tab has tools for the open chat. */
  offered = $state(false);
  by: Lender | null = null;

  /** To be awaited before a run begins, so that it knows of the tools of this tab. Never rejects. */
  readonly lendTo = async (conversationId: string): Promise<void> => {
    await this.by?.lend(conversationId).catch(() => undefined);
  };

  readonly startHere = async (request: StartRunInTab): Promise<RunRecord | null> =>
    (await this.by?.begin(request)) ?? null;
}

export const tabTools = new Lending();

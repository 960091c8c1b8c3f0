import type { RunRecord, StartRunInTab } from '@toolyard/protocol';

/** Tasks of a tab with its own servers for its chats. */
type TabRunBackend = {
  /**
   * Announces to the server which tools this tab provides to a conversation; resolves when the server has stored it.
   */
  announceTools: (conversationId: string) => Promise<void>;
  /** Starts a run in this tab if the user wants that; null: on the server. */
  startRun: (request: StartRunInTab) => Promise<RunRecord | null>;
};

/** Set once the tab has tools to provide; its code is loaded after the page. */
class TabTools {
  /** Whether this tab has tools for the open chat. */
  offered = $state(false);
  backend: TabRunBackend | null = null;

  /** Awaited before a run starts, so that it includes the tools of this tab. Never rejects. */
  readonly announceTools = async (conversationId: string): Promise<void> => {
    await this.backend?.announceTools(conversationId).catch(() => undefined);
  };

  readonly startRun = async (request: StartRunInTab): Promise<RunRecord | null> =>
    (await this.backend?.startRun(request)) ?? null;
}

export const tabTools = new TabTools();

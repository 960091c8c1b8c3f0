/** The tools that this tab provides to runs on the server. */
export const tabTools = {
  /** Set once its code is loaded, which is after the page. */
  announcer: null as ((conversationId: string) => Promise<void>) | null,

  /** Awaited before a run starts, so that it includes the tools of this tab. Never rejects. */
  announce: async (conversationId: string): Promise<void> => {
    await tabTools.announcer?.(conversationId).catch(() => undefined);
  },
};

/** The run whose steps are shown beside the chat. */
class RunPanel {
  runId: string | null = $state(null);
}

export const runPanel = new RunPanel();

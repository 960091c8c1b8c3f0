/** A message to show: opened from a result of the search over all chats. */
export type MessageJump = { conversationId: string; messageId: string; query: string };

/** The search within the open chat. Everything else about it is loaded on demand. */
class Find {
  /** Whether the search bar is shown. */
  open = $state(false);
  /** Increases with each request to open the bar: the field takes the focus again. */
  asked = $state(0);
  /** The message to show once its conversation is loaded. */
  jump: MessageJump | null = $state.raw(null);

  show(): void {
    this.open = true;
    this.asked += 1;
  }
}

export const find = new Find();

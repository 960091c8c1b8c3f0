/** Tells the server what this tab lends to a conversation; resolves when it knows. */
type Lend = (conversationId: string) => Promise<void>;

let lend: Lend | null = null;

/** Set once there is something to lend. */
export function lendBy(how: Lend): void {
  lend = how;
}

/** To be awaited before a run begins, so that it knows of the tools of this tab. Never rejects. */
export async function lendTo(conversationId: string): Promise<void> {
  await lend?.(conversationId).catch(() => undefined);
}

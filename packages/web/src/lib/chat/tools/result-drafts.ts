/** What somebody writes about a call in doubt outlives its card, which is gone while it is scrolled out of sight. */
const drafts = new Map<string, string>();
const MOST = 50;

/** Undefined where nobody began to write. */
export function resultDraft(callKey: string): string | undefined {
  return drafts.get(callKey);
}

export function keepResultDraft(callKey: string, text: string): void {
  // The newest stand last.
  drafts.delete(callKey);
  drafts.set(callKey, text);
  const [oldest] = drafts.keys();
  if (drafts.size > MOST && oldest !== undefined) drafts.delete(oldest);
}

/** Drafts about calls in doubt outlive their card, which is destroyed when it is scrolled out of the page. */
const drafts = new Map<string, string>();
const MAX_DRAFTS = 50;

/** Undefined without a draft. */
export function resultDraft(callKey: string): string | undefined {
  return drafts.get(callKey);
}

export function keepResultDraft(callKey: string, text: string): void {
  // Insertion order: the newest are last.
  drafts.delete(callKey);
  drafts.set(callKey, text);
  const [oldest] = drafts.keys();
  if (drafts.size > MAX_DRAFTS && oldest !== undefined) drafts.delete(oldest);
}

/**
 * Which parts the user expanded or collapsed, remembered while the page is open: a row that is scrolled away loses its
 * own state.
 */
const folds = new Map<string, boolean>();
const MAX_ENTRIES = 500;

export function storedExpansion(key: string): boolean | undefined {
  return folds.get(key);
}

export function storeExpansion(key: string, open: boolean): void {
  folds.delete(key);
  folds.set(key, open);
  const [oldest] = folds.keys();
  if (folds.size > MAX_ENTRIES && oldest !== undefined) folds.delete(oldest);
}

/** For what is loaded before it is wanted: where that fails, whoever wants it is told. */
export function ahead(load: () => Promise<unknown>): () => void {
  return () => void load().catch(() => undefined);
}

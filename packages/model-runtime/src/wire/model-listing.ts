/** How a provider's model list differs from that of its wire: another path, or a fixed list of names. */
export type ModelListing = { path: string } | { named: readonly string[] };

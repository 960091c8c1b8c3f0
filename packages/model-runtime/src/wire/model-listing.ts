/** Where a provider's list of models differs from that of its wire: another path, or none, and then these names. */
export type ModelListing = { path: string } | { named: readonly string[] };

/** Parses a URL; null if it is invalid. (`URL.parse` does the same, but not on Node 20.) */
export function readUrl(address: string): URL | null {
  return URL.canParse(address) ? new URL(address) : null;
}

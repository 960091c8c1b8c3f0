/** The start of a digest, enough to compare by eye in a list. */
export function shortDigest(digest: string): string {
  return `${digest.slice(0, 'sha256:'.length + 12)}…`;
}

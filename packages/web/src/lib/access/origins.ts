/**
 * Base URLs to offer to another device: that of this page if other devices can reach it, else those the server listens
 * on.
 */
export function originsFor(ofServer: readonly string[], page: Pick<Location, 'origin' | 'hostname'>): string[] {
  const isLocal = /^(localhost|127\..*|\[::1\])$/.test(page.hostname);
  return [...new Set(isLocal ? ofServer : [page.origin, ...ofServer])];
}

/** Names of hosts, with every dot a browser takes for one, and IPv4 addresses. */
const HOST =
  /(?:[\p{L}\p{N}_-]+[.\u2024\u3002\uff0e\uff61])+(?=[\p{N}-]*\p{L})[\p{L}\p{N}-]{2,}|\d{1,3}(?:\.\d{1,3}){3}/gu;

/**
 * The host a link leads to, where its text names another one; null where the text does not mislead.
 *
 * @param text as it is read: entities decoded, without tags
 */
export function otherHost(text: string, address: URL): string | null {
  if (address.protocol === 'mailto:') {
    const to = address.pathname;
    return text.includes('@') && !text.toLowerCase().includes(decoded(to).toLowerCase()) ? to : null;
  }
  if (isThatAddress(text, address)) return null;
  const host = withoutWww(address.hostname);
  for (const [named] of text.matchAll(HOST)) if (withoutWww(named.toLowerCase()) !== host) return address.host;
  return null;
}

/** The address itself, as people and autolinks write it. */
function isThatAddress(text: string, address: URL): boolean {
  const trimmed = text.trim();
  // The name before an @ can look like a host.
  if (address.username !== '' || address.password !== '') return false;
  // Two scripts can look alike: what is no ASCII is not taken for the address.
  if (/[^\u0021-\u007e]/.test(trimmed)) return false;
  return [trimmed, `https://${trimmed}`, `http://${trimmed}`].some((one) => URL.parse(one)?.href === address.href);
}

function withoutWww(host: string): string {
  return host.replace(/^www\./, '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Host names, with every dot a browser accepts as such, and IPv4 addresses. */
const HOST =
  /(?:[\p{L}\p{N}_-]+[.\u2024\u3002\uff0e\uff61])+(?=[\p{N}-]*\p{L})[\p{L}\p{N}-]{2,}|\d{1,3}(?:\.\d{1,3}){3}/gu;

/**
 * The host of a link if its text names another one; null if the text does not mislead.
 *
 * @param text as displayed: entities decoded, without tags
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

/** The URL itself, as written by people and autolinks. */
function isThatAddress(text: string, address: URL): boolean {
  const trimmed = text.trim();
  // The name before an @ can look like a host.
  if (address.username !== '' || address.password !== '') return false;
  // Homographs: text that is not ASCII never counts as the link's own URL.
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

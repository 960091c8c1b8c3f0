const PLACEHOLDER = /\{([A-Z][A-Z0-9_]*)\}/g;

/** What of one's own an address still wants, by the names of the variables it is usually kept in. */
export function placeholdersIn(address: string): string[] {
  return [...address.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

/** Puts one's own into an address; null where something is missing. Nothing put in can change the host behind it. */
export function fillAddress(address: string, values: Readonly<Record<string, string | undefined>>): string | null {
  let isWhole = true;
  const filled = address.replace(PLACEHOLDER, (_whole, name: string) => {
    const value = values[name]?.trim() ?? '';
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(value)) isWhole = false;
    return value;
  });
  return isWhole ? filled : null;
}

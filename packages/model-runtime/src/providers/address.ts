const PLACEHOLDER = /\{([A-Z][A-Z0-9_]*)\}/g;

/**
 * The placeholders in a base URL, named like the environment variables that usually hold their values.
 *
 * @example
 * placeholdersIn('https://{REGION}.example.com/v1'); // ['REGION']
 */
export function placeholdersIn(address: string): string[] {
  return [...address.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

/**
 * Fills the placeholders of a base URL; null if a value is missing. No value can change the host.
 *
 * @example
 * fillAddress('https://{REGION}.example.com/v1', { REGION: 'eu' }); // 'https://eu.example.com/v1'
 */
export function fillAddress(address: string, values: Readonly<Record<string, string | undefined>>): string | null {
  let isWhole = true;
  const filled = address.replace(PLACEHOLDER, (_whole, name: string) => {
    const value = values[name]?.trim() ?? '';
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(value)) isWhole = false;
    return value;
  });
  return isWhole ? filled : null;
}

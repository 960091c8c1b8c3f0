/** The items in the text of a field, one per line by default. Empty ones are left out. */
export function itemsIn(text: string, separator: string | RegExp = '\n'): string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Bits for each of the first 128 characters: what it tells of the text it stands in. */
export function characterTable(rows: readonly (readonly [characters: string, bits: number])[]): Uint16Array {
  const table = new Uint16Array(128);
  for (const [characters, bits] of rows) {
    for (const character of characters) {
      const code = character.charCodeAt(0);
      table[code] = (table[code] ?? 0) | bits;
    }
  }
  return table;
}

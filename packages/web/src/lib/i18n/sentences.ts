/** Two sentences, one after the other: behind a full-width stop comes no space. */
export function sentences(first: string, second: string): string {
  return /[。！？]$/.test(first) ? first + second : `${first} ${second}`;
}

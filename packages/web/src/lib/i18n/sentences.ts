/** Joins two sentences; after a full-width period without a space. */
export function sentences(first: string, second: string): string {
  return /[。！？]$/.test(first) ? first + second : `${first} ${second}`;
}

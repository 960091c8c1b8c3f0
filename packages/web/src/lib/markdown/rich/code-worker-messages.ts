/** `added` continues the text sent before, in whole lines until the text is complete. */
export type ToCodeWorker = { type: 'code'; id: number; language: string; added: string } | { type: 'end'; id: number };

/** HTML of the pieces from index `from` on; together they show the text up to `to`. */
export type FromCodeWorker = { id: number; from: number; pieces: readonly string[]; to: number };

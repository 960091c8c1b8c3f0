/** Bytes of a page, or of a PDF, whose text is wanted. */
export type ExtractionRequest = { bytes: Uint8Array; kind: 'html' | 'pdf'; url: string; charset: string };

export type Extracted = { title?: string; text: string };

/** What the thread answers. */
export type ExtractionAnswer = { extracted: Extracted; failure?: never } | { extracted?: never; failure: string };

/** Maximum size of a document. */
export const MAX_TEXT_BYTES = 500_000;
/** Maximum number of documents in a conversation. */
export const MAX_DOCUMENTS = 100;
/** Maximum number of versions of a document. */
export const MAX_VERSIONS = 200;

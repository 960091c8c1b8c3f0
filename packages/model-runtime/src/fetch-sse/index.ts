/**
 * Reads the answers of a Toolyard server's `POST /webapi/chat/:provider`, in a browser or anywhere else.
 * @module
 */
export { fetchSSE, type FetchSseOptions, type Speed, type WholeAnswer, type WholeCall } from './fetch-sse.ts';

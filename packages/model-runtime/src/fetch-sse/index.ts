/**
 * Reads the answers of a Toolyard server's `POST /webapi/chat/:provider`, in a browser or in Node.
 * @module
 */
export { fetchSSE, type FetchSseOptions, type Speed, type CompleteAnswer, type CompleteToolCall } from './fetch-sse.ts';

/**
 * Both ends of a Toolyard server's `/webapi/chat`: the events of an answer for who serves it, and a
 * {@link ModelRuntime} for who asks.
 * @module
 */
export { createWebApiRuntime, type WebApiRuntimeOptions } from './runtime.ts';
export { WebApiDecoder, WebApiEncoder, type WebApiEvent } from './events.ts';

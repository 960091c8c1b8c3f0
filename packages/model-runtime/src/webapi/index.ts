/**
 * Both ends of a Toolyard server's `/webapi/chat`: the event encoder of the server, and a {@link ModelRuntime} for
 * clients.
 * @module
 */
export { createWebApiRuntime, type WebApiRuntimeOptions } from './runtime.ts';
export { WebApiDecoder, WebApiEncoder, type WebApiEvent } from './events.ts';

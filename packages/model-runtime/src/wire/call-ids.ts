import type { AssistantMessage } from '@toolyard/protocol';
import { isFromModel } from './replay.ts';

/** Ids in a form that one server requires. */
export const NINE_LETTERS_OR_DIGITS = /^[A-Za-z0-9]{9}$/;
/** The form of APIs that restrict the characters. */
export const PLAIN_ID = /^[\w-]{1,40}$/;
/** All other APIs: each server and model may have a form of its own. */
export const ANY_ID = /^[\x21-\x7e]{1,40}$/;

/**
 * The ids of the calls in one request.
 *
 * Rule: a call keeps the id of its provider if it has the form the API requires and no earlier call of the request has
 * it; where the form is unknown, only at the model that made the call. Any other id is nine letters and digits, which every
 * provider accepts, derived from our own id: equal histories give equal ids, so prompt caches match.
 */
export class CallIds {
  readonly #model: string | null;
  readonly #form: RegExp;
  readonly #used = new Set<string>();
  readonly #byCall = new Map<string, string>();

  /** `model`: the model that receives the request, where only its own calls are known to have the form. */
  constructor(form: RegExp, model: string | null = null) {
    this.#model = model;
    this.#form = form;
  }

  /** Assigns ids to the calls of the next answer. Returns a key that is equal for equal ids. */
  add(message: AssistantMessage): string {
    const isOwn = this.#model === null || isFromModel(message, this.#model);
    let key = '';
    for (const part of message.parts) {
      if (part.type !== 'tool_call') continue;
      const { callId, providerCallId: own = '' } = part;
      let id = isOwn && this.#form.test(own) && !this.#used.has(own) ? own : shortId(callId);
      for (let again = 2; this.#used.has(id); again += 1) id = shortId(`${callId} ${again}`);
      this.#used.add(id);
      this.#byCall.set(callId, id);
      key += `${id} `;
    }
    return key;
  }

  /** The id of a call; undefined if the request contains no such call. */
  get(callId: string): string | undefined {
    return this.#byCall.get(callId);
  }
}

/** Nine letters and digits, derived from the id. */
export function shortId(id: string): string {
  let [first, second] = [0x811c9dc5, 0x01000193];
  for (let at = 0; at < id.length; at += 1) {
    first = Math.imul(first ^ id.charCodeAt(at), 0x01000193);
    second = Math.imul(second ^ id.charCodeAt(at), 0x85ebca6b) ^ (first >>> 15);
  }
  const base36 = (hash: number, count: number): string => (hash >>> 0).toString(36).padStart(count, '0').slice(-count);
  return base36(first, 5) + base36(second, 4);
}

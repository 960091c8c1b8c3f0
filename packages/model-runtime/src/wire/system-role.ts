import type { Message, UserMessage } from '@toolyard/protocol';
import type { ChatRequest } from '../types.ts';
import { systemText, textModeSuffix } from './messages.ts';
import { rememberVariant } from './json-text.ts';
import type { ProviderFault } from './provider-error.ts';

/** The feature of a request that has a system message, or a field for it. */
export const SYSTEM_ROLE = 'system role';

/** Names of the field in which API formats send the system text. */
const FIELD = /^(system|instructions|system_?instruction)$/i;
/** The role, its message, or a role of which the server accepts only others. */
const ROLE = /(?<![a-z])(system|developer)[\W_]{0,3}(role|message|prompt|instruction)|(?<![a-z])roles?(?![a-z])/i;
/** Roles of other messages that an error names. */
const OTHER_ROLE = /(?<![a-z])roles?\W{1,4}(is |of |be )?\W?(tool|function)\b/i;

/** True if an error is about the role of the system message of this request. */
export function rejectsSystemRole({ message, param }: ProviderFault, request: ChatRequest): boolean {
  if (systemText(request.messages, textModeSuffix(request)).trim() === '') return false;
  const text = `${param} ${message}`.slice(0, 2000);
  const position = /messages\W{1,2}(\d+)\W{1,2}role/i.exec(text)?.[1];
  if (position !== undefined) return Number(position) === 0;
  return FIELD.test(param) || (ROLE.test(text) && !OTHER_ROLE.test(text));
}

/**
 * The messages and the text to add to the system message, as this server accepts them.
 *
 * Rule: where the role of the system message was rejected, its text is the beginning of the first user message.
 */
export function withAcceptedRoles(
  { messages }: ChatRequest,
  without: ReadonlySet<string>,
  suffix: string,
): { messages: readonly Message[]; suffix: string } {
  const system = without.has(SYSTEM_ROLE) ? systemText(messages, suffix) : '';
  if (system === '') return { messages, suffix };
  const rest = messages.filter(({ role }) => role !== 'system');
  const [first] = rest;
  const begin = first?.role === 'user' ? first : EMPTY;
  return { messages: [beginningWith(begin, system), ...rest.slice(begin === EMPTY ? 0 : 1)], suffix: '' };
}

const EMPTY: UserMessage = { id: 'system', parentId: null, createdAt: 0, role: 'user', parts: [] };

const folded = new WeakMap<UserMessage, { variant: string; value: UserMessage }>();

/** The same message each time: what is sent is cached by message. */
function beginningWith(message: UserMessage, system: string): UserMessage {
  return rememberVariant(folded, message, system, () => ({
    ...message,
    parts: [{ type: 'text', text: system }, ...message.parts],
  }));
}

import type {
  AssistantMessage,
  AssistantPart,
  Message,
  SystemMessage,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from '@toolyard/protocol';

/**
 * The history in an order that every provider accepts, with as few changes as possible.
 *
 * Rule: one system message comes first; the conversation begins with the user and, unless the last answer is to be continued,
 * ends with the user or a result; an answer has content, and two in a row are one; the ids of calls are unique, their names
 * are names of functions, and each call is followed by exactly one result. Imported, interrupted and hand-written histories contain anything else.
 */
export function validHistory(messages: readonly Message[], continues: boolean): readonly Message[] {
  const systems = oneSystem(messages);
  const turns = withoutEmpty(messages).map(withValidNames);
  const valid = framed(withResults(joinAnswers(turns)), continues);
  const all = [...systems, ...valid];
  // The same list if nothing changed: callers may cache by it.
  return all.length === messages.length && all.every((message, at) => message === messages[at]) ? messages : all;
}

type Turn = Exclude<Message, SystemMessage>;

/** Chat templates accept one system message, at the beginning. */
function oneSystem(messages: readonly Message[]): SystemMessage[] {
  const systems = messages.filter((message) => message.role === 'system');
  const filled = systems.filter(({ parts }) => parts.some(({ text }) => text.trim() !== ''));
  const [first, ...others] = filled;
  if (first === undefined || others.length === 0) return filled;
  const key = others.map(({ id }) => id).join(' ');
  return [derived(first, key, () => ({ ...first, parts: filled.flatMap(({ parts }) => parts) }))];
}

function withoutEmpty(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === 'user') turns.push(isBlank(message) ? derived(message, '', () => asEmpty(message)) : message);
    else if (message.role === 'tool' || (message.role === 'assistant' && message.parts.some(isContent)))
      turns.push(message);
  }
  return turns;
}

/** The names that every provider accepts. A model may call a tool that does not exist by any name. */
const FUNCTION_NAME = /^[a-zA-Z_][\w-]{0,63}$/;

function withValidNames(turn: Turn): Turn {
  if (turn.role === 'user') return turn;
  if (turn.role === 'tool')
    return FUNCTION_NAME.test(turn.name)
      ? turn
      : derived(turn, 'name', () => ({ ...turn, name: validName(turn.name) }));
  if (turn.parts.every((part) => !isCall(part) || FUNCTION_NAME.test(part.name))) return turn;
  const parts = (): AssistantPart[] =>
    turn.parts.map((part) => (isCall(part) ? { ...part, name: validName(part.name) } : part));
  return derived(turn, 'name', () => ({ ...turn, parts: parts() }));
}

function validName(name: string): string {
  if (FUNCTION_NAME.test(name)) return name;
  const plain = name.replace(/[^\w-]+/g, '_');
  return (/^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`).slice(0, 64);
}

function isBlank({ parts }: UserMessage): boolean {
  return parts.every((part) => part.type === 'text' && part.text.trim() === '');
}

function asEmpty(message: UserMessage): UserMessage {
  return { ...message, parts: [{ type: 'text', text: '(empty message)' }] };
}

function isContent(part: AssistantPart): boolean {
  switch (part.type) {
    case 'text':
      return part.text.trim() !== '';
    case 'malformed_tool_call':
    case 'tool_call':
    case 'image':
      return true;
    default:
      return false;
  }
}

/** Joins answers without a message between them: chat templates require alternating roles. */
function joinAnswers(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (turn.role !== 'assistant' || last?.role !== 'assistant' || last.parts.some(isCall)) joined.push(turn);
    else
      joined.splice(
        -1,
        1,
        derived(turn, last.id, () => joinedWith(last, turn)),
      );
  }
  return joined;
}

function joinedWith(first: AssistantMessage, second: AssistantMessage): AssistantMessage {
  // Reasoning is opaque data of the message it belongs to.
  const before = first.parts.filter((part) => part.type !== 'reasoning');
  return { ...second, parts: [...before, { type: 'text', text: '\n\n' }, ...second.parts] };
}

/** A call, with the message it is in and its result. */
type Slot = { callId: string; call: ToolCallPart; result: ToolMessage | null };

/** Places the result of each call after its answer, in the order of the calls. Other results stay where they are. */
function withResults(turns: readonly Turn[]): Turn[] {
  const out: (Turn | { answer: AssistantMessage; slots: Slot[] })[] = [];
  const seen = new Set<string>();
  const open = new Map<string, Slot[]>();
  for (const turn of turns) {
    if (turn.role === 'user') out.push(turn);
    else if (turn.role === 'assistant') {
      const slots: Slot[] = [];
      for (const call of turn.parts)
        if (isCall(call)) slots.push({ callId: unused(call.callId, seen), call, result: null });
      for (const { call } of slots) {
        const isSame = (slot: Slot): boolean => slot.call.callId === call.callId;
        open.set(call.callId, slots.length === 1 ? slots : slots.filter(isSame));
      }
      out.push(slots.length === 0 ? turn : { answer: withCallIds(turn, slots), slots });
    } else {
      const slots = open.get(turn.parts[0].callId);
      const slot = slots?.find(({ result }) => result === null) ?? slots?.at(-1);
      if (slot === undefined) out.push(turn);
      else slot.result = turn;
    }
  }
  const placed: Turn[] = [];
  for (const each of out) {
    if (!('slots' in each)) placed.push(each);
    else {
      placed.push(each.answer);
      for (const slot of each.slots) placed.push(toResult(slot, each.answer));
    }
  }
  return placed;
}

function isCall(part: AssistantPart): part is ToolCallPart {
  return part.type === 'tool_call';
}

function unused(callId: string, seen: Set<string>): string {
  let id = callId;
  for (let again = 2; seen.has(id); again += 1) id = `${callId}~${again}`;
  seen.add(id);
  return id;
}

function withCallIds(answer: AssistantMessage, slots: readonly Slot[]): AssistantMessage {
  if (slots.every(({ callId, call }) => callId === call.callId)) return answer;
  const key = slots.map(({ callId }) => callId).join(' ');
  return derived(answer, key, () => {
    const ids = slots.map(({ callId }) => callId);
    const parts = answer.parts.map((part) => (isCall(part) ? { ...part, callId: ids.shift() ?? part.callId } : part));
    return { ...answer, parts };
  });
}

function toResult({ callId, call, result }: Slot, answer: AssistantMessage): ToolMessage {
  if (result === null) return derived(call, callId, () => missingResult(callId, call, answer));
  if (result.parts[0].callId === callId) return result;
  return derived(result, callId, () => ({ ...result, parts: [{ ...result.parts[0], callId }] }));
}

function missingResult(callId: string, call: ToolCallPart, { id, createdAt }: AssistantMessage): ToolMessage {
  const text = 'This call has no result. Its outcome is unknown.';
  return {
    id: `${callId}.result`,
    parentId: id,
    createdAt,
    role: 'tool',
    name: call.name,
    tool: call.tool,
    parts: [
      { type: 'tool_result', callId, result: { content: [{ type: 'text', text }], isError: true, outcome: 'unknown' } },
    ],
  };
}

function framed(turns: readonly Turn[], continues: boolean): Turn[] {
  const [first, last] = [turns[0], turns.at(-1)];
  return [
    ...(first?.role === 'user' ? [] : [BEGIN]),
    ...turns,
    ...(last?.role === 'assistant' && !continues ? [CONTINUE] : []),
  ];
}

const BEGIN = userMessage('begin', '(beginning of the conversation)');
const CONTINUE = userMessage('continue', 'Continue.');

function userMessage(id: string, text: string): UserMessage {
  return { id, parentId: null, createdAt: 0, role: 'user', parts: [{ type: 'text', text }] };
}

const derivations = new WeakMap<object, { key: string; value: object }>();

/** A value made of another one, the same each time: what is sent is cached by message. */
function derived<Value extends object>(of: object, key: string, make: () => Value): Value;
function derived(of: object, key: string, make: () => object): object {
  const known = derivations.get(of);
  if (known?.key === key) return known.value;
  const value = make();
  derivations.set(of, { key, value });
  return value;
}

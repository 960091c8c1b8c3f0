import type {
  AssistantMessage,
  GroupCallResult,
  JsonValue,
  Message,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from '@toolyard/protocol';
import { isJsonObject, textOf } from '@toolyard/protocol';
import { fenced } from '../context/fenced.ts';
import type { GroupHistory } from './group-orchestration.ts';
import { GROUP_SERVER } from './group-orchestration.ts';
import { nameIn, spokenBy, withoutForgedSpeakers } from './speakers.ts';

/**
 * The conversation of a group as one member sees it: its own answers are those of an assistant, everything else are
 * messages to it. Private messages to others, and tools and reasoning of others, are left out.
 */
export function memberView(messages: readonly Message[], agentId: string): Message[] {
  const results = new Map<string, ToolMessage>();
  for (const message of messages) if (message.role === 'tool') results.set(message.parts[0].callId, message);
  return messages.flatMap((message): Message[] => {
    switch (message.role) {
      // A summary may contain private messages.
      case 'system':
      case 'tool':
        return [];
      case 'user':
        return [withoutForgedSpeakers(message)];
      case 'assistant':
        return message.member ? ofMember(message, agentId) : ofSupervisor(message, agentId, results);
    }
  });
}

function ofMember({ member, ...message }: AssistantMessage, agentId: string): Message[] {
  if (message.agent?.id === agentId) return [message];
  if (member?.private || textOf(message).trim() === '') return [];
  return [spokenBy(nameIn({ ...message, ...(member ? { member } : {}) }), message)];
}

function ofSupervisor(
  message: AssistantMessage,
  agentId: string,
  results: ReadonlyMap<string, ToolMessage>,
): UserMessage[] {
  const name = nameIn(message);
  const calls = message.parts.flatMap((part) =>
    part.type === 'tool_call' && part.tool?.serverId === GROUP_SERVER ? [part] : [],
  );
  const made = calls.map((call) => ({ call, result: groupResultOf(results.get(call.callId)) }));
  const isForAll = ({ call, result }: (typeof made)[number]): boolean =>
    result ? !result.private : call.arguments['private'] !== true;
  const isVisible = (each: (typeof made)[number]): boolean =>
    isForAll(each) || each.result?.members.some((member) => member.agentId === agentId) === true;
  const notes = made.filter(isVisible).flatMap(({ call, result }) => (result ? formatNotes(name, call, result) : []));
  const saysNothing = textOf(message).trim() === '' || (made.length > 0 && !made.some(isVisible));
  if (notes.length === 0 && saysNothing) return [];
  const shown = saysNothing ? { ...message, parts: [] } : message;
  return [spokenBy(name, shown, notes)];
}

/** What the members get to know of a call: an instruction to one of them, or the result of a vote. */
function formatNotes(
  from: string,
  { arguments: args }: ToolCallPart,
  { kind, members, vote }: GroupCallResult,
): string[] {
  if (vote) {
    const counts = vote.options.map(({ option, votes }) => `${option}: ${votes}`).join('\n');
    const text = `${vote.question}\n${counts}\nResult of the vote: ${vote.winner}`;
    return [fenced('group-message', { from, to: 'everyone' }, text)];
  }
  const { instruction } = args;
  if (kind === 'task' || typeof instruction !== 'string' || instruction.trim() === '') return [];
  return [fenced('group-message', { from, to: members.map(({ name }) => name).join(', ') }, instruction)];
}

/** What the conversation says about earlier turns of members. */
export function groupHistory(messages: readonly Message[]): GroupHistory {
  const last = messages.findLast((message): message is AssistantMessage => message.role === 'assistant');
  const speaker = messages.findLast(
    (message): message is AssistantMessage => message.role === 'assistant' && message.member !== undefined,
  );
  const isDelegated = last?.member?.kind === 'delegate' && !last.member.handedBack;
  return {
    lastSpeaker: speaker?.agent?.id ?? null,
    delegatedTo: isDelegated ? (last.agent?.id ?? null) : null,
  };
}

/** The result of a call of the group; undefined for any other result. */
export function groupResultOf(message: ToolMessage | undefined): GroupCallResult | undefined {
  if (message?.tool?.serverId !== GROUP_SERVER) return undefined;
  const structured: JsonValue | undefined = message.parts[0].result.structured;
  const group = isJsonObject(structured) ? structured['group'] : undefined;
  // Only the tools of this server write it.
  return isJsonObject(group) && Array.isArray(group['members']) ? (group as unknown as GroupCallResult) : undefined;
}

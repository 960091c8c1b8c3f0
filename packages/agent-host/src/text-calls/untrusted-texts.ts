import type {
  Message,
  TextCallSource,
  ToolContentPart,
  ToolDefinition,
  ToolMessage,
  UserPart,
} from '@toolyard/protocol';
import { textOfSource } from '@toolyard/protocol';
import type { RequestInputs } from '../executors/assemble-request.ts';

/** A text of a request that neither Toolyard nor the model wrote. */
export type UntrustedText = TextCallSource & {
  text: string;
  /** Set for what a server says about its own tools: calls of these are what it is for. */
  aboutServer?: string;
};

/**
 * The texts of a request that are data: results, messages of users with their attachments, summaries, earlier text of
 * the model (which may repeat all of these), and what servers say of themselves. Not the agent's instructions, our own
 * errors, or calls that the model made.
 */
export function untrustedTexts(
  messages: readonly Message[],
  { sources, tools }: Pick<RequestInputs, 'sources' | 'tools'>,
): UntrustedText[] {
  const rejected = rejectedCalls(messages);
  const texts = messages.flatMap((message, at): UntrustedText[] => {
    switch (message.role) {
      case 'tool':
        return resultTexts(message, rejected);
      case 'user':
        return message.parts.flatMap((part): UntrustedText[] => {
          if (part.type === 'text') return [{ from: 'user', text: part.text }];
          if (part.type === 'prompt')
            return part.messages.flatMap(({ content }) => textsIn(content, { from: 'prompt', name: part.name }));
          return textsIn(part, { from: 'attachment' });
        });
      case 'assistant':
        return message.parts.flatMap((part): UntrustedText[] => {
          if (part.type !== 'text' && part.type !== 'citation') return [];
          const cited = part.type === 'citation' ? [part.url, part.title] : [];
          return [{ from: 'answer', text: joined(...cited, part.text) }];
        });
      case 'system':
        return at === 0 ? [] : message.parts.map(({ text }) => ({ from: 'summary', text }));
    }
  });
  const notes = sources.serverInstructions.map(({ serverId, text }): UntrustedText => ({
    from: 'server',
    name: serverId,
    text,
    aboutServer: serverId,
  }));
  const skills: UntrustedText[] = sources.skills === undefined ? [] : [{ from: 'skills', text: sources.skills }];
  return [...texts, ...notes, ...skills, ...tools.map(definitionText)];
}

/** Calls that were answered with an error of ours, which repeats the call. */
function rejectedCalls(messages: readonly Message[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const part of message.parts) {
      if (part.type === 'malformed_tool_call' || (part.type === 'tool_call' && part.problem)) ids.add(part.callId);
    }
  }
  return ids;
}

function resultTexts({ name, tool, parts }: ToolMessage, rejected: ReadonlySet<string>): UntrustedText[] {
  const [{ callId, result }] = parts;
  const isOurs = result.outcome === 'not_sent' && (rejected.has(callId) || result.error?.code === 'tool_refused');
  if (isOurs) return [];
  const source = { from: 'result', name: tool?.name ?? name } as const;
  const structured =
    result.structured === undefined ? [] : [{ ...source, text: JSON.stringify(result.structured) ?? '' }];
  return [...result.content.flatMap((part) => textsIn(part, source)), ...structured];
}

/** Also the text of bytes that a request contains as text. */
function textsIn(
  part: Exclude<UserPart, { type: 'prompt' }> | ToolContentPart,
  source: TextCallSource,
): UntrustedText[] {
  if (part.type === 'text') return [{ ...source, text: part.text }];
  const { name, mimeType = '' } = part;
  const bytes = part.source === undefined ? null : textOfSource(part.source, mimeType);
  const { uri, title, description, text = bytes } = part.type === 'resource' ? part : { text: bytes };
  const label = title ?? name ?? uri;
  const named = source.from === 'attachment' && label !== undefined ? { ...source, name: label } : source;
  return [{ ...named, text: joined(uri, name, title, description, text) }];
}

function joined(...texts: (string | null | undefined)[]): string {
  return texts.filter((each) => each !== undefined && each !== null).join('\n');
}

function definitionText({ tool, title, description, inputSchema }: ToolDefinition): UntrustedText {
  const text = joined(title, description, JSON.stringify(inputSchema));
  return { from: 'server', name: tool.serverId, text, aboutServer: tool.serverId };
}

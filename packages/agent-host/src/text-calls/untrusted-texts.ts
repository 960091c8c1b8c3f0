import type { Message, TextCallSource, ToolContentPart, ToolDefinition, ToolMessage } from '@toolyard/protocol';
import type { RequestInputs } from '../executors/assemble-request.ts';

/** A text of a request that somebody else than Toolyard and the model wrote. */
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
          return part.type === 'resource' ? textsIn(part, { from: 'attachment' }) : [];
        });
      case 'assistant':
        return message.parts.flatMap((part): UntrustedText[] => {
          if (part.type !== 'text' && part.type !== 'citation') return [];
          return [{ from: 'answer', text: part.text ?? '' }];
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

function textsIn(part: ToolContentPart, source: TextCallSource): UntrustedText[] {
  switch (part.type) {
    case 'text':
      return [{ ...source, text: part.text }];
    case 'resource': {
      const { uri, name, title, description, text } = part;
      const named = source.from === 'attachment' ? { ...source, name: title ?? name ?? uri } : source;
      return [
        { ...named, text: [uri, name, title, description, text].filter((each) => each !== undefined).join('\n') },
      ];
    }
    case 'image':
    case 'audio':
      return part.name === undefined ? [] : [{ ...source, text: part.name }];
  }
}

function definitionText({ tool, title, description, inputSchema }: ToolDefinition): UntrustedText {
  const text = [title, description, JSON.stringify(inputSchema)].filter((each) => each !== undefined).join('\n');
  return { from: 'server', name: tool.serverId, text, aboutServer: tool.serverId };
}

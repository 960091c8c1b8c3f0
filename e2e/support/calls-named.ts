import type { ModelReply, ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';

type Sent = { messages: { role: string; content: unknown }[]; tools?: { function: { name: string } }[] };

/**
 * A model that calls the tool named in the last message of the user and then quotes its result; `otherwise` answers
 * messages as it chooses.
 */
export function callsNamed(otherwise: (lastMessage: string) => ModelReply | null = () => null): ModelScript {
  return ({ body }) => {
    const { messages, tools = [] } = body as Sent;
    const last = messages.at(-1);
    const content = JSON.stringify(last?.content);
    if (last?.role === 'tool') return reply.text(`It said: ${content}`);
    const named = tools.find(({ function: { name } }) => content.includes(name));
    return (
      otherwise(content) ??
      (named ? reply.toolCalls([{ name: named.function.name, arguments: {} }]) : reply.text('Nothing to call.'))
    );
  };
}

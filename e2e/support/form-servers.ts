import type { JsonObject } from '@toolyard/protocol';
import type { McpBehaviour, ScriptedTool } from '@toolyard/testing';

type Era = 'legacy' | 'modern';

/** A form of a server: the parameters of an elicitation request. */
export const FORM = {
  mode: 'form',
  message: 'Where to?',
  requestedSchema: {
    type: 'object',
    properties: {
      city: { type: 'string', title: 'City', minLength: 2 },
      mail: { type: 'string', title: 'Mail', format: 'email' },
      nights: { type: 'integer', title: 'Nights', minimum: 1, maximum: 9, default: 2 },
      late: { type: 'boolean', title: 'Late arrival' },
      room: { type: 'string', title: 'Room', enum: ['s', 'd'], enumNames: ['Single', 'Double'] },
      extras: {
        type: 'array',
        title: 'Extras',
        items: {
          anyOf: [
            { const: 'wifi', title: 'Wi-Fi' },
            { const: 'tea', title: 'Tea' },
          ],
        },
      },
    },
    required: ['city', 'nights', 'room'],
  },
};

/** A tool of a legacy server that sends the client this request and returns the answer; the file withdraws the request. */
export function askingTool(name: string, method: string, params: JsonObject, withdrawAtFile?: string): ScriptedTool {
  const request = { do: 'request', method, params, ...(withdrawAtFile !== undefined && { withdrawAtFile }) } as const;
  return { name, does: [request, { do: 'tell_answers' }] };
}

/** The same of a modern server, which returns the request as its result. */
export function modernAskingTool(name: string, method: string, params: JsonObject): ScriptedTool {
  const inputRequests = { q: { method, params } };
  return { name, does: [{ do: 'ask', inputRequests, requestState: 's1' }, { do: 'echo_input' }] };
}

/** Servers with a tool `book_room` that asks for {@link FORM}. */
export const FORM_SERVERS: Readonly<Record<Era, McpBehaviour>> = {
  legacy: { tools: [askingTool('book_room', 'elicitation/create', FORM)] },
  modern: { era: 'modern', tools: [modernAskingTool('book_room', 'elicitation/create', FORM)] },
};

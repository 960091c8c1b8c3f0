import type { ServerRequestHandlers } from '../../server-requests/answer-request.ts';

/** Parameters of a form elicitation. */
export const FORM = {
  mode: 'form',
  message: 'Which city?',
  requestedSchema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', default: 3 } },
    required: ['city'],
  },
};

/** Parameters of a sampling request. */
export const SAMPLING = { messages: [{ role: 'user', content: { type: 'text', text: 'Say hi' } }], maxTokens: 10 };

/** Handlers that answer everything. */
export const answersAll: ServerRequestHandlers = {
  form: async () => ({ action: 'accept', content: { city: 'Taipei' } }),
  url: async () => 'accept',
  sampling: async () => ({ role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'demo' }),
  roots: () => [{ uri: 'file:///srv/notes', name: 'work' }],
};

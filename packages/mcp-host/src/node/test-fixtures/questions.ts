import type { QuestionHandlers } from '../../questions/questions.ts';

/** A form that a server wants filled in. */
export const FORM = {
  mode: 'form',
  message: 'Which city?',
  requestedSchema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', default: 3 } },
    required: ['city'],
  },
};

/** What a server asks of a model. */
export const SAMPLING = { messages: [{ role: 'user', content: { type: 'text', text: 'Say hi' } }], maxTokens: 10 };

/** Somebody who answers everything. */
export const answersAll: QuestionHandlers = {
  form: async () => ({ action: 'accept', content: { city: 'Taipei' } }),
  url: async () => 'accept',
  sampling: async () => ({ role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'demo' }),
  roots: () => [{ uri: 'file:///srv/notes', name: 'work' }],
};

import { z } from 'zod';
import {
  changeQueuedMessageBody,
  continueConversationBody,
  continuedConversation,
  messagePage,
  queuedMessage,
  queuePage,
  regenerateBody,
  regenerated,
  sendMessageBody,
  sentMessage,
} from '../conversations.ts';
import { queryLimit, queryText } from '../query.ts';
import { defineRoutes } from './define-routes.ts';

export const messagesRoutes = defineRoutes({
  'GET /api/conversations/{id}/messages': {
    summary: 'A stretch of a branch: its end, or what is above before',
    query: z.strictObject({
      leaf: queryText.exactOptional(),
      before: queryText.exactOptional(),
      limit: queryLimit(60),
    }),
    answer: messagePage,
  },
  'POST /api/conversations/{id}/messages': {
    summary: 'Say something: 201 with the run that answers it, or 202 where it waits for another run',
    body: sendMessageBody,
    answer: sentMessage,
    status: 201,
    also: { 202: 'It waits in the queue' },
  },
  'POST /api/conversations/{id}/regenerate': {
    summary: 'Answer the same message anew, as another branch',
    body: regenerateBody,
    answer: regenerated,
    status: 201,
  },
  'POST /api/conversations/{id}/continue': {
    summary: 'Go on where the conversation broke off: in the same message where the model can, else in a new one',
    body: continueConversationBody,
    answer: continuedConversation,
    status: 201,
  },
  'GET /api/conversations/{id}/queue': { summary: 'What waits to be sent, in order', answer: queuePage },
  'PATCH /api/conversations/{id}/queue/{item}': {
    summary: 'Change what a waiting message says, or its place',
    body: changeQueuedMessageBody,
    answer: queuedMessage,
  },
  'DELETE /api/conversations/{id}/queue/{item}': { summary: 'Take a waiting message back' },
  'POST /api/conversations/{id}/queue/{item}/send': { summary: 'Stop what is under way and send this one at once' },
});

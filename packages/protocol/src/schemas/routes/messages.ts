import { z } from 'zod';
import {
  changeQueuedMessageBody,
  continueConversationBody,
  continuedConversation,
  makeCallBody,
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
    summary: 'List messages of a branch: the last ones, or those before `before`',
    query: z.strictObject({
      leaf: queryText.exactOptional(),
      before: queryText.exactOptional(),
      limit: queryLimit(60),
    }),
    answer: messagePage,
  },
  'POST /api/conversations/{id}/messages': {
    summary: 'Send a message: 201 with the run that answers it, or 202 if it was queued behind another run',
    body: sendMessageBody,
    answer: sentMessage,
    status: 201,
    also: { 202: 'The message was queued' },
  },
  'POST /api/conversations/{id}/regenerate': {
    summary: 'Regenerate an answer as another branch',
    body: regenerateBody,
    answer: regenerated,
    status: 201,
  },
  'POST /api/conversations/{id}/continue': {
    summary: 'Continue an answer that was cut off: in the same message if the model supports it, else in a new one',
    body: continueConversationBody,
    answer: continuedConversation,
    status: 201,
  },
  'POST /api/conversations/{id}/messages/{message}/call': {
    summary: 'Make a call in the text of the last answer; its run asks for approval first',
    scope: 'approve',
    body: makeCallBody,
    answer: regenerated,
    status: 201,
  },
  'GET /api/conversations/{id}/queue': { summary: 'List queued messages in order', answer: queuePage },
  'PATCH /api/conversations/{id}/queue/{item}': {
    summary: 'Edit or move a queued message',
    body: changeQueuedMessageBody,
    answer: queuedMessage,
  },
  'DELETE /api/conversations/{id}/queue/{item}': { summary: 'Delete a queued message' },
  'POST /api/conversations/{id}/queue/{item}/send': {
    summary: 'Stop the current run and send this queued message now',
  },
});

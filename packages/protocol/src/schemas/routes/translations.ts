import { changeTranslationBody, messageTranslations } from '../translations.ts';
import { defineRoutes } from './define-routes.ts';

export const translationsRoutes = defineRoutes({
  'GET /api/conversations/{id}/translations': {
    summary: 'List the translations of the messages of a conversation',
    answer: messageTranslations,
  },
  'PATCH /api/conversations/{id}/translations/{message}': {
    summary: 'Store the language of a message, or its translation, which replaces one into another language',
    body: changeTranslationBody,
  },
  'DELETE /api/conversations/{id}/translations/{message}': { summary: 'Delete the translation of a message' },
});

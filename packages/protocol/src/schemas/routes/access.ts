import { apiKeyPage, createApiKeyBody, createdApiKey, sessionPage, signInLink } from '../access.ts';
import { defineRoutes } from './define-routes.ts';

export const accessRoutes = defineRoutes({
  'GET /api/access/sessions': { summary: 'List the browsers that are signed in', scope: 'access', answer: sessionPage },
  'DELETE /api/access/sessions': { summary: 'Sign out all browsers but this one', scope: 'access' },
  'DELETE /api/access/sessions/{id}': { summary: 'Sign a browser out', scope: 'access' },
  'POST /api/access/links': {
    summary: 'Create a link that signs another browser in, once',
    scope: 'access',
    answer: signInLink,
    status: 201,
  },
  'GET /api/access/keys': { summary: 'List API keys', scope: 'access', answer: apiKeyPage },
  'POST /api/access/keys': {
    summary: 'Create an API key; only this answer contains it',
    scope: 'access',
    body: createApiKeyBody,
    answer: createdApiKey,
    status: 201,
  },
  'DELETE /api/access/keys/{id}': { summary: 'Revoke an API key', scope: 'access' },
});

import { apiKeyPage, createApiKeyBody, createdApiKey, sessionPage, signInLink } from '../access.ts';
import { defineRoutes } from './define-routes.ts';

export const accessRoutes = defineRoutes({
  'GET /api/access/sessions': { summary: 'List signed-in browsers', scope: 'access', answer: sessionPage },
  'DELETE /api/access/sessions': { summary: 'Sign out all browsers but this one', scope: 'access' },
  'DELETE /api/access/sessions/{id}': { summary: 'Sign out a browser', scope: 'access' },
  'POST /api/access/links': {
    summary: 'Create a one-time link that signs in another browser',
    scope: 'access',
    answer: signInLink,
    status: 201,
  },
  'GET /api/access/keys': { summary: 'List API keys', scope: 'access', answer: apiKeyPage },
  'POST /api/access/keys': {
    summary: 'Create an API key; only this response contains the key',
    scope: 'access',
    body: createApiKeyBody,
    answer: createdApiKey,
    status: 201,
  },
  'DELETE /api/access/keys/{id}': { summary: 'Revoke an API key', scope: 'access' },
});

import {
  acceptedDelivery,
  changeTriggerBody,
  createTriggerBody,
  savedTrigger,
  testedTrigger,
  testTriggerBody,
  triggerDeliveryPage,
  triggerPage,
  triggerView,
} from '../triggers.ts';
import { defineRoutes } from './define-routes.ts';

export const triggersRoutes = defineRoutes({
  'GET /api/triggers': { summary: 'List incoming webhooks by title', answer: triggerPage },
  'POST /api/triggers': {
    summary: 'Create an incoming webhook; a generated secret is returned only once',
    scope: 'settings',
    body: createTriggerBody,
    answer: savedTrigger,
    status: 201,
  },
  'GET /api/triggers/{id}': { summary: 'Get an incoming webhook', answer: triggerView },
  'PATCH /api/triggers/{id}': {
    summary: 'Update an incoming webhook; fails if it was changed since it was read',
    scope: 'settings',
    body: changeTriggerBody,
    answer: savedTrigger,
  },
  'DELETE /api/triggers/{id}': {
    summary: 'Delete an incoming webhook; its conversations are kept',
    scope: 'settings',
  },
  'POST /api/triggers/{id}/test': {
    summary: 'Fill in the template with a payload, and optionally start a run with it',
    scope: 'settings',
    body: testTriggerBody,
    answer: testedTrigger,
  },
  'GET /api/triggers/{id}/deliveries': {
    summary: 'List the last 100 deliveries to an incoming webhook, the latest first',
    answer: triggerDeliveryPage,
  },
  'POST /api/hooks/{trigger}': {
    summary: 'Deliver to an incoming webhook; the signature authenticates the request',
    open: true,
    upload: ['application/json'],
    answer: acceptedDelivery,
    status: 202,
  },
});

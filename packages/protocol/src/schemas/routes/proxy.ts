import { createProxyTicketBody, proxyTicket } from '../proxy.ts';
import { defineRoutes } from './define-routes.ts';

export const proxyRoutes = defineRoutes({
  'POST /api/proxy/tickets': {
    summary: 'Create a one-time proxy ticket for one URL, for clients that cannot send headers',
    scope: 'servers',
    body: createProxyTicketBody,
    answer: proxyTicket,
    status: 201,
  },
});

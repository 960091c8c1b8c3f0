import { createProxyTicketBody, proxyTicket } from '../proxy.ts';
import { defineRoutes } from './define-routes.ts';

export const proxyRoutes = defineRoutes({
  'POST /api/proxy/tickets': {
    summary: 'A one-time key to the proxy for one address, for who can send no headers',
    scope: 'servers',
    body: createProxyTicketBody,
    answer: proxyTicket,
    status: 201,
  },
});

import { z } from 'zod';
import { clientId } from '../common.ts';
import { defineRoutes } from './define-routes.ts';

export const liveRoutes = defineRoutes({
  'GET /api/events': {
    summary: 'Stream all events (server-sent events, each a LiveEvent)',
    query: z.strictObject({ after: z.string().max(8000).exactOptional(), tab: clientId.exactOptional() }),
    mediaType: 'text/event-stream',
  },
});

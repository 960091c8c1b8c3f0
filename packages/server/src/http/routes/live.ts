import { z } from 'zod';
import type { EventStreams } from '../event-stream.ts';
import { liveFrames } from '../frames.ts';
import type { Router } from '../router.ts';
import type { HttpDeps } from '../types.ts';

export function addLiveRoutes({ route }: Router, { streams }: HttpDeps, eventStreams: EventStreams): void {
  route({
    method: 'get',
    path: '/api/events',
    summary: 'Everything that happens, as it happens (server-sent events, each a LiveEvent)',
    query: z.strictObject({ after: z.string().max(8000).exactOptional() }),
    mediaType: 'text/event-stream',
    handle: ({ c, principal, query }) => {
      const cursor = c.req.header('last-event-id') ?? query.after ?? null;
      return eventStreams.answer(c, (signal) => liveFrames(streams.readAll(principal, cursor, signal)));
    },
  });
}

import { presetTaskCall } from '../preset-tasks.ts';
import { defineRoutes } from './define-routes.ts';

export const presetTasksRoutes = defineRoutes({
  'POST /api/preset-tasks': {
    summary: 'Run a preset task (server-sent events: text, usage, then result or error)',
    body: presetTaskCall,
    status: 200,
    mediaType: 'text/event-stream',
  },
});

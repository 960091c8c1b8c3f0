import { z } from 'zod';
import {
  changeScheduleBody,
  createScheduleBody,
  descriptionLanguage,
  previewScheduleBody,
  scheduleFiring,
  scheduleFiringPage,
  schedulePage,
  schedulePreview,
  scheduleView,
} from '../schedules.ts';
import { defineRoutes } from './define-routes.ts';

const language = z.strictObject({ language: descriptionLanguage.default('en') });

export const schedulesRoutes = defineRoutes({
  'GET /api/schedules': { summary: 'List schedules by title', query: language, answer: schedulePage },
  'POST /api/schedules': {
    summary: 'Create a schedule',
    scope: 'settings',
    body: createScheduleBody,
    answer: scheduleView,
    status: 201,
  },
  'POST /api/schedules/preview': {
    summary: 'Get the next times of a timing, without storing anything',
    body: previewScheduleBody,
    answer: schedulePreview,
  },
  'GET /api/schedules/{id}': { summary: 'Get a schedule', query: language, answer: scheduleView },
  'PATCH /api/schedules/{id}': {
    summary: 'Update a schedule; fails if it was changed since it was read',
    scope: 'settings',
    body: changeScheduleBody,
    answer: scheduleView,
  },
  'DELETE /api/schedules/{id}': { summary: 'Delete a schedule; its conversations are kept', scope: 'settings' },
  'POST /api/schedules/{id}/run': {
    summary: 'Run the task of a schedule now',
    scope: 'settings',
    answer: scheduleFiring,
  },
  'GET /api/schedules/{id}/firings': {
    summary: 'List the last 100 times of a schedule, the latest first',
    answer: scheduleFiringPage,
  },
});

import { fetchImageBody } from '../proxy.ts';
import { defineRoutes } from './define-routes.ts';

export const imagesRoutes = defineRoutes({
  'POST /api/images': {
    summary:
      'Fetch an image of at most 10 MB from the public internet; JSON `{ redirect }` if its host redirects to another one',
    body: fetchImageBody,
    mediaType: 'image/*',
    orMediaType: 'application/json',
  },
});

import { z } from 'zod';
import { fileLinks, fileLinksOf } from '../access.ts';
import { uploadedFile } from '../operations.ts';
import { queryText } from '../query.ts';
import { defineRoutes } from './define-routes.ts';

const UPLOADED = ['image/*', 'audio/*', 'text/*', 'application/pdf', 'application/json'];
const signedQuery = z.strictObject({
  owner: queryText.exactOptional(),
  expires: queryText.exactOptional(),
  signature: queryText.exactOptional(),
});

export const filesRoutes = defineRoutes({
  'POST /api/files': {
    summary: 'Upload a file; the body is its content, with its content type',
    upload: UPLOADED,
    answer: uploadedFile,
    status: 201,
  },
  'POST /api/files/links': {
    summary: 'Create signed URLs for files; they need no credential and expire after 30 to 60 minutes',
    scope: 'read',
    body: fileLinksOf,
    answer: fileLinks,
  },
  'GET /api/files/{sha256}': {
    summary:
      'Download a file, with a credential or a signed URL. Images, audio and video are served inline, other ' +
      'files as attachments',
    // The handler authenticates: a signed URL replaces the credential.
    open: true,
    query: signedQuery,
    mediaType: '*/*',
    also: { 304: 'The cached copy is current' },
  },
});

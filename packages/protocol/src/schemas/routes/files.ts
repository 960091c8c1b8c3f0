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
    summary: 'Upload a file as the body, with its own content type',
    upload: UPLOADED,
    answer: uploadedFile,
    status: 201,
  },
  'POST /api/files/links': {
    summary: 'Create URLs of files that need no credential for half an hour to an hour',
    scope: 'read',
    body: fileLinksOf,
    answer: fileLinks,
  },
  'GET /api/files/{sha256}': {
    summary: 'Get a file: with a credential, or by a signed URL. Images, audio and video are shown, the rest is saved',
    // Who asks is found out below: a signed URL is a credential of its own.
    open: true,
    query: signedQuery,
    mediaType: 'application/octet-stream',
    also: { 304: 'The one the client has is the same' },
  },
});

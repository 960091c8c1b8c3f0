import {
  chatCall,
  embeddings,
  embeddingsCall,
  generatedObject,
  images,
  imagesCall,
  objectCall,
  speech,
  speechCall,
  transcription,
  transcriptionCall,
} from '../model-calls.ts';
import { defineRoutes } from './define-routes.ts';

/** A conversation with its pictures: a file of the largest kind, as base64, and what stands around it. */
const MAX_CALL_BYTES = 32 * 1024 * 1024;

export const modelCallsRoutes = defineRoutes({
  'POST /webapi/chat/{provider}': {
    summary:
      'One answer of a model, as it comes (server-sent events: text, reasoning, tool_calls, usage, stop, error, ...)',
    body: chatCall,
    maxBodyBytes: MAX_CALL_BYTES,
    status: 200,
    mediaType: 'text/event-stream',
  },
  'POST /api/providers/{id}/embeddings': {
    summary: 'Texts as vectors, in the same order',
    body: embeddingsCall,
    maxBodyBytes: MAX_CALL_BYTES,
    answer: embeddings,
  },
  'POST /api/providers/{id}/images': {
    summary: 'Pictures of what a text says, kept as files',
    body: imagesCall,
    maxBodyBytes: MAX_CALL_BYTES,
    answer: images,
  },
  'POST /api/providers/{id}/speech': { summary: 'A text read aloud, kept as a file', body: speechCall, answer: speech },
  'POST /api/providers/{id}/transcriptions': {
    summary: 'What is said in a recording, as text',
    body: transcriptionCall,
    maxBodyBytes: MAX_CALL_BYTES,
    answer: transcription,
  },
  'POST /api/providers/{id}/objects': {
    summary: 'An object that fits a schema, whichever way the model can be brought to give one',
    body: objectCall,
    maxBodyBytes: MAX_CALL_BYTES,
    answer: generatedObject,
  },
});

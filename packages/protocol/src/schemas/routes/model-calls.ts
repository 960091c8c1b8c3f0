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
import { openAiChatCall } from '../openai-chat-call.ts';
import { z } from 'zod';
import { named } from '../common.ts';
import { defineRoutes } from './define-routes.ts';

/** Fits one file of the largest size as base64, and the rest of the conversation. */
const MAX_CALL_BYTES = 32 * 1024 * 1024;

export const modelCallsRoutes = defineRoutes({
  'POST /webapi/chat/{provider}': {
    summary:
      'Stream one model response (server-sent events: text, reasoning, tool_calls, usage, stop, error, ...). The body is a ' +
      'ChatCall, or that of OpenAI Chat Completions',
    body: named('ChatCallOfAnyForm', z.union([chatCall, openAiChatCall])),
    maxBodyBytes: MAX_CALL_BYTES,
    status: 200,
    mediaType: 'text/event-stream',
  },
  'POST /api/providers/{id}/embeddings': {
    summary: 'Create embeddings of texts, in the same order',
    body: embeddingsCall,
    maxBodyBytes: MAX_CALL_BYTES,
    answer: embeddings,
  },
  'POST /api/providers/{id}/images': {
    summary: 'Generate images from a prompt; they are stored as files',
    body: imagesCall,
    maxBodyBytes: MAX_CALL_BYTES,
    answer: images,
  },
  'POST /api/providers/{id}/speech': {
    summary: 'Generate speech from text; it is stored as a file',
    body: speechCall,
    answer: speech,
  },
  'POST /api/providers/{id}/transcriptions': {
    summary: 'Transcribe a recording',
    body: transcriptionCall,
    maxBodyBytes: MAX_CALL_BYTES,
    answer: transcription,
  },
  'POST /api/providers/{id}/objects': {
    summary: 'Generate an object that matches a JSON schema, by the best method the model supports',
    body: objectCall,
    maxBodyBytes: MAX_CALL_BYTES,
    answer: generatedObject,
  },
});

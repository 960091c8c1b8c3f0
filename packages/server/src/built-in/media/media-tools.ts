import type { FunctionTool, FunctionToolGroup, ToolContext } from '@toolyard/agent-host';
import { tool } from '@toolyard/agent-host';
import type { Clock, ModelReference, Owner, ToolContentPart, ToolResult, Usage } from '@toolyard/protocol';
import { costOf, defined, ToolyardError, say } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { getOwner } from '../owner-of.ts';
import type { ModelCalls } from '../../models/model-calls.ts';
import { resultInPlace } from '../../runs/worker/run-media.ts';
import type { Models } from '../../services.ts';
import type { MediaSettings } from './media-settings.ts';

export type MediaToolsOptions = {
  settings: Pick<MediaSettings, 'get'>;
  /** Calls outside of runs: checked against budgets and counted. */
  calls: Pick<ModelCalls, 'createImage' | 'textToSpeech'>;
  /** Calls in runs, which count them. */
  uncountedCalls: Pick<ModelCalls, 'createImage' | 'textToSpeech'>;
  models: Pick<Models, 'price'>;
  blobs: SharedStorage['blobs'];
  owner: Owner;
  clock: Clock;
};

const MAX_PROMPT_LENGTH = 4_000;
const MAX_IMAGES = 4;
const MAX_SPOKEN_LENGTH = 4_000;

/**
 * Images and speech, made by models that the user chose in the settings. They cost money and send text to a provider:
 * open-world, so they need approval, and are not repeated after a crash.
 */
export function createMediaTools(options: MediaToolsOptions): FunctionToolGroup {
  return {
    id: 'media',
    title: say`Images and speech`.text,
    enabled: false,
    tools: [createCreateImage(options), createSpeak(options)],
  };
}

function createCreateImage(options: MediaToolsOptions): FunctionTool {
  return tool({
    name: 'create_image',
    title: say`Create image`.text,
    description:
      say`Creates images from a description with an image model. The user sees them in the chat. Describe the content, style, light and composition; quote text that the image must contain.`
        .text,
    inputSchema: {
      type: 'object',
      properties: {
        prompt: { type: 'string', minLength: 1, maxLength: MAX_PROMPT_LENGTH, description: 'What the image shows.' },
        size: {
          type: 'string',
          pattern: '^[0-9]{2,5}x[0-9]{2,5}$',
          description: 'Width and height in pixels, such as 1024x1024; omit it for the default of the model.',
        },
        count: { type: 'integer', minimum: 1, maximum: MAX_IMAGES, description: 'How many images; default 1.' },
      },
      required: ['prompt'],
    },
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    async execute({ prompt, size, count }, ctx) {
      const principal = getOwner(ctx, options.owner);
      const { image: chosen } = await options.settings.get(principal);
      if (chosen === null) throw createNotConfiguredError('images');
      const { providerId, modelId: model } = chosen;
      const request = { model, prompt, ...defined({ size: size ?? chosen.size, count }) };
      const { images } = await counted(options, { principal, model: chosen, ctx }, (calls) =>
        calls.createImage(principal, providerId, request, ctx.signal),
      );
      const text = images.length === 1 ? 'Created an image' : `Created ${images.length} images`;
      return createResult(options, principal, `${text} with ${model}. The user sees it in the chat.`, images);
    },
  });
}

function createSpeak(options: MediaToolsOptions): FunctionTool {
  return tool({
    name: 'speak',
    title: say`Speak`.text,
    description:
      say`Turns a text into spoken audio with a speech model. The user can play it in the chat. Use it only if the user asks for audio.`
        .text,
    inputSchema: {
      type: 'object',
      properties: {
        text: {
          type: 'string',
          minLength: 1,
          maxLength: MAX_SPOKEN_LENGTH,
          description: 'What is spoken, without markup.',
        },
        voice: {
          type: 'string',
          minLength: 1,
          maxLength: 100,
          description: 'A voice of the model; omit it for the default.',
        },
      },
      required: ['text'],
    },
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    async execute({ text, voice }, ctx) {
      const principal = getOwner(ctx, options.owner);
      const { speech: chosen } = await options.settings.get(principal);
      if (chosen === null) throw createNotConfiguredError('speech');
      const { providerId, modelId: model } = chosen;
      const request = { model, text, ...defined({ voice: voice ?? chosen.voice }) };
      const { file, mimeType } = await counted(options, { principal, model: chosen, ctx }, (calls) =>
        calls.textToSpeech(principal, providerId, request, ctx.signal),
      );
      const audio = { type: 'audio', mimeType, source: { blob: file } } as const;
      return createResult(options, principal, `Spoken with ${model}. The user can play it in the chat.`, [audio]);
    },
  });
}

/** Makes a model request, and counts it for the run of the call. */
async function counted<Made extends object>(
  { calls, uncountedCalls, models, clock }: MediaToolsOptions,
  of: { principal: Owner; model: ModelReference; ctx: ToolContext },
  make: (calls: MediaToolsOptions['calls']) => Promise<Made>,
): Promise<Made> {
  const { principal, model, ctx } = of;
  const { modelRequests } = ctx;
  if (modelRequests === undefined) return make(calls);
  await modelRequests.check();
  const price = await models.price(principal, model);
  const began = clock.monotonic();
  const made = await make(uncountedCalls);
  const usage = 'usage' in made ? (made.usage as Usage | undefined) : undefined;
  const { providerId, modelId } = model;
  const durationMs = Math.round(clock.monotonic() - began);
  modelRequests.add({ providerId, modelId, usage, cost: usage && price && costOf(usage, price), durationMs });
  return made;
}

/** With the bytes in place, as other tools return them: the model of the run sees them, and large ones are stored as files. */
function createResult(
  { blobs }: MediaToolsOptions,
  principal: Owner,
  text: string,
  media: readonly ToolContentPart[],
): Promise<ToolResult> {
  const result: ToolResult = { content: [{ type: 'text', text }, ...media], isError: false, outcome: 'done' };
  return resultInPlace(result, blobs, principal);
}

function createNotConfiguredError(what: 'images' | 'speech'): ToolyardError {
  return new ToolyardError({
    code: 'tool_failed',
    message: what === 'images' ? say`No model for images is chosen.` : say`No model for speech is chosen.`,
    hint: say`The user can choose one under Settings, Tools, Images and speech.`,
  });
}

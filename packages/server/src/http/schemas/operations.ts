import type { LiveEvent, PropsView, UploadedFile } from '@toolyard/protocol';
import { z } from 'zod';
import { jsonObject, named } from './common.ts';
import { exactly } from './exactly.ts';
import { absentRole, runEvent } from './runs.ts';

export const uploadedFile = named(
  'UploadedFile',
  exactly<UploadedFile>()(z.strictObject({ sha256: z.string(), size: z.int(), mimeType: z.string() })),
);

export const propsView = named(
  'PropsView',
  exactly<PropsView>()(
    z.strictObject({
      ui: z.boolean(),
      ui_settings: jsonObject,
      cors_proxy_enabled: z.boolean(),
      webui: z.boolean(),
      webui_settings: jsonObject,
      version: z.string(),
    }),
  ),
);

const wellBeing = { status: z.literal('ok'), version: z.string() };
export const health = named('Health', z.strictObject(wellBeing));
export const readiness = named(
  'Readiness',
  z.strictObject({
    status: z.literal('ok'),
    version: z.string().exactOptional(),
    absent: z.array(absentRole).exactOptional(),
  }),
);

export const liveEvent = named(
  'LiveEvent',
  exactly<LiveEvent>()(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('hello'), boot: z.string(), version: z.string() }),
      z.strictObject({ type: z.literal('run'), event: runEvent }),
      z.strictObject({
        type: z.literal('changed'),
        what: z.enum([
          'conversations',
          'queue',
          'interrupts',
          'servers',
          'agents',
          'providers',
          'settings',
          'tab_calls',
        ]),
        id: z.string().exactOptional(),
      }),
    ]),
  ),
);

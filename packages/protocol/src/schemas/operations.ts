import { z } from 'zod';
import { jsonObject, named } from './common.ts';
import { missingRole, runEvent } from './runs.ts';

export const uploadedFile = named(
  'UploadedFile',
  z.strictObject({ sha256: z.string(), size: z.int(), mimeType: z.string() }),
);
export type UploadedFile = z.output<typeof uploadedFile>;

export const propsView = named(
  'PropsView',
  z.strictObject({
    ui: z.boolean(),
    ui_settings: jsonObject,
    cors_proxy_enabled: z.boolean(),
    webui: z.boolean(),
    webui_settings: jsonObject,
    version: z.string(),
  }),
);
/** `ui_settings` is what the owner set with `--ui-config`; `webui` and `webui_settings` repeat them for older clients. */
export type PropsView = z.output<typeof propsView>;

const wellBeing = { status: z.literal('ok'), version: z.string() };
export const health = named('Health', z.strictObject(wellBeing));
export const readiness = named(
  'Readiness',
  z.strictObject({
    status: z.literal('ok'),
    version: z.string().exactOptional(),
    missingRoles: z.array(missingRole).exactOptional(),
  }),
);

export const liveEvent = named(
  'LiveEvent',
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('hello'), boot: z.string(), version: z.string() }),
    z.strictObject({ type: z.literal('run'), event: runEvent }),
    z.strictObject({
      type: z.literal('changed'),
      what: z.enum(['conversations', 'queue', 'interrupts', 'servers', 'agents', 'providers', 'settings', 'tab_calls']),
      id: z.string().exactOptional(),
    }),
  ]),
);
/**
 * `GET /api/events`: one stream a tab. Each frame is one of these, its `event:` the type; `id:` is a cursor over all
 * runs, given back as `Last-Event-ID` or `?after=`. A run's event may come more than once (known by run and seq) and
 * never out of order.
 *
 * `hello` comes first in every stream: whatever the page shows besides runs is to be fetched anew. `changed` says what
 * is to be fetched again: `id` narrows it.
 */
export type LiveEvent = z.output<typeof liveEvent>;

import { z } from 'zod';
import { jsonObject, named, namedObject } from './common.ts';
import { runEvent } from './run-events.ts';
import { missingRole } from './runs.ts';

export const uploadedFile = namedObject('UploadedFile', { sha256: z.string(), size: z.int(), mimeType: z.string() });
export type UploadedFile = z.output<typeof uploadedFile>;

export const propsView = namedObject('PropsView', {
  ui: z.boolean(),
  ui_settings: jsonObject,
  cors_proxy_enabled: z.boolean(),
  frame_origin: z.string().nullable(),
  webui: z.boolean(),
  webui_settings: jsonObject,
  version: z.string(),
});
/**
 * `ui_settings` is what the operator set with `--ui-config`; `webui` and `webui_settings` repeat it for older clients.
 * `frame_origin` is where the page opened under this name loads frames from; null: from its own origin, sandboxed.
 */
export type PropsView = z.output<typeof propsView>;

const healthFields = { status: z.literal('ok'), version: z.string() };
export const health = namedObject('Health', healthFields);
export const readiness = namedObject('Readiness', {
  status: z.literal('ok'),
  version: z.string().exactOptional(),
  missingRoles: z.array(missingRole).exactOptional(),
});

export const liveEvent = named(
  'LiveEvent',
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('hello'), boot: z.string(), version: z.string() }),
    z.strictObject({ type: z.literal('run'), event: runEvent }),
    z.strictObject({
      type: z.literal('changed'),
      what: z.enum([
        'conversations',
        'queue',
        'translations',
        'drafts',
        'artifacts',
        'memories',
        'interrupts',
        'servers',
        'resources',
        'agents',
        'groups',
        'schedules',
        'triggers',
        'providers',
        'settings',
        'tab_calls',
      ]),
      id: z.string().exactOptional(),
    }),
  ]),
);
/**
 * `GET /api/events`: one stream per tab. Each frame is one of these, with its type as `event:`; `id:` is a cursor over
 * all runs, for `Last-Event-ID` or `?after=`. An event of a run may be repeated (same run and seq) but is never out of
 * order.
 *
 * Every stream begins with `hello`: fetch everything again that is shown besides runs. `changed` says what to fetch
 * again; `id` narrows it.
 */
export type LiveEvent = z.output<typeof liveEvent>;

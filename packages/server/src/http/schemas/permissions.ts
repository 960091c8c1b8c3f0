import type { PermissionView } from '@toolyard/protocol';
import { z } from 'zod';
import { named, pageOf, time, toolReference } from './common.ts';
import { exactly } from './exactly.ts';

const permissionView = named(
  'PermissionView',
  exactly<PermissionView>()(
    z.strictObject({
      tool: toolReference,
      conversationId: z.string().nullable(),
      decision: z.enum(['allow', 'never']),
      at: time,
    }),
  ),
);
export const permissionPage = pageOf('PermissionPage', permissionView);

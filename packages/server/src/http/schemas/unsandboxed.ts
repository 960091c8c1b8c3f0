import type { ConfirmUnsandboxed, UnsandboxedServers } from '@toolyard/protocol';
import { z } from 'zod';
import { named } from './common.ts';
import { exactly } from './exactly.ts';

export const unsandboxedServers = named(
  'UnsandboxedServers',
  exactly<UnsandboxedServers>()(z.strictObject({ servers: z.array(z.string()), unconfirmed: z.array(z.string()) })),
);

export const confirmUnsandboxed = named(
  'ConfirmUnsandboxed',
  exactly<ConfirmUnsandboxed>()(z.strictObject({ servers: z.array(z.string().min(1).max(1_000)).max(1_000) })),
);

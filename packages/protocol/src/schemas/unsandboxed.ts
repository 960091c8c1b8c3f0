import { z } from 'zod';
import { namedObject } from './common.ts';

export const unsandboxedServers = namedObject('UnsandboxedServers', {
  servers: z.array(z.string()),
  unconfirmed: z.array(z.string()),
});
/**
 * Enabled local servers (stdio) that run without a sandbox: they can read everything that Toolyard's account can read.
 * Mode `auto` applies only while none is `unconfirmed`; otherwise calls are handled as in mode `allow-list`.
 */
export type UnsandboxedServers = z.output<typeof unsandboxedServers>;

export const confirmUnsandboxedBody = namedObject('ConfirmUnsandboxed', {
  servers: z.array(z.string().min(1).max(1_000)).max(1_000),
});
/** Confirms mode `auto` for these servers. */
export type ConfirmUnsandboxed = z.output<typeof confirmUnsandboxedBody>;

import type { MissingRole, LedgerStatus, Principal, RunRecord, RunStatus } from '@toolyard/protocol';
import type { HttpAppOptions } from '../types.ts';

const GOING: ReadonlySet<RunStatus> = new Set(['queued', 'running']);
const OPEN: ReadonlySet<LedgerStatus> = new Set(['planned', 'sent']);

/** The roles a run waits for because no process has them; undefined if it can continue. */
export async function missingRoles(
  principal: Principal,
  run: RunRecord,
  { storage, absentRoles, isProgram }: Pick<HttpAppOptions, 'storage' | 'absentRoles' | 'isProgram'>,
): Promise<MissingRole | undefined> {
  if (!GOING.has(run.status) || run.place !== 'server') return undefined;
  const absent = (await absentRoles?.()) ?? [];
  const worker = absent.find(({ role }) => role === 'worker');
  const tools = absent.find(({ role }) => role === 'tools');
  if (worker || !tools) return worker;
  const calls = (await storage.runs.readLedger(principal, run.id)) ?? [];
  const isHeldUp = calls.some(({ status, tool }) => OPEN.has(status) && isProgram?.(tool.serverId) === true);
  return isHeldUp ? tools : undefined;
}

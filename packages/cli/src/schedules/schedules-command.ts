import type { ScheduleFiring, ScheduleView } from '@toolyard/protocol';
import { defined, formatToolReference } from '@toolyard/protocol';
import { findAgent } from '../server/find-by-name.ts';
import type { CommandIo } from '../command-io.ts';
import { printFacts, printJson, printLine, printList, printNote, printTable } from '../output.ts';
import { plainLine, shownLine } from '../sanitize.ts';
import { toSecond } from '../utc-time.ts';
import type { ServerClient } from '../server/server-client.ts';
import { findSchedule } from '../server/find-by-name.ts';
import type { CreateFlags } from './read-create-flags.ts';
import { readCreateFlags } from './read-create-flags.ts';

type Json = { json?: boolean };

const MAX_TITLE = 60;

const when = (at: number): string => `${toSecond(at)} UTC`;
const formatTitle = ({ title }: Pick<ScheduleView, 'title'>): string => shownLine(title, MAX_TITLE);

/** `toolyard schedules list`. */
export async function listSchedules(io: CommandIo, client: ServerClient, { json }: Json): Promise<void> {
  const { items } = await client.get('/api/schedules');
  printList(io, items, {
    json,
    none: 'No schedules.',
    row: (each) => [each.id, formatTitle(each), formatTiming(each), formatNext(each), formatLast(each.lastFiring)],
  });
}

/** `toolyard schedules show`. */
export async function showSchedule(io: CommandIo, client: ServerClient, wanted: string, { json }: Json): Promise<void> {
  const schedule = await findSchedule(client, wanted);
  if (json === true) return printJson(io, schedule);
  const { id, timeZone, conditions, missed, overlap, target, agentId, configuration, allowedTools } = schedule;
  const { model } = configuration;
  const details = [
    ['ID', id],
    ['Title', schedule.title],
    ['When', formatTiming(schedule)],
    ['Time zone', timeZone],
    ['Next', formatNext(schedule)],
    ['Last', formatLast(schedule.lastFiring)],
    ['Conditions', Object.keys(conditions).length === 0 ? undefined : JSON.stringify(conditions)],
    ['Missed times', missed],
    ['Overlap', overlap],
    ['Conversation', target.kind === 'new' ? 'a new one each time' : target.conversationId],
    ['Agent', agentId ?? undefined],
    ['Model', model && `${model.providerId}/${model.modelId}`],
    ['Allowed tools', allowedTools.map(formatToolReference).join(', ') || undefined],
    ['Created by', schedule.createdBy === 'model' ? createdByModel(schedule) : undefined],
  ] as const;
  printFacts(io, details, schedule.task);
}

/** `toolyard schedules create`. */
export async function createSchedule(
  io: CommandIo,
  client: ServerClient,
  title: string,
  flags: CreateFlags & Json,
): Promise<void> {
  const agentId = flags.agent === undefined ? undefined : (await findAgent(client, flags.agent)).id;
  const body = readCreateFlags(title, flags, agentId);
  if (flags.dryRun === true) {
    const { timing, timeZone, conditions } = body;
    const preview = await client.post('/api/schedules/preview', {
      body: { timing, ...defined({ timeZone, conditions }) },
    });
    if (flags.json === true) return printJson(io, preview);
    if (preview.description !== null) printLine(io, plainLine(preview.description, 300));
    for (const at of preview.times) printLine(io, when(at));
    if (preview.times.length === 0) printNote(io, 'there is no future time.');
    return;
  }
  const created = await client.post('/api/schedules', { body });
  if (flags.json === true) return printJson(io, created);
  printLine(io, `${created.id}  ${formatTitle(created)}  ${formatNext(created)}`);
}

/** `toolyard schedules pause` and `resume`. */
export function enableSchedule(enabled: boolean) {
  return async (io: CommandIo, client: ServerClient, wanted: string): Promise<void> => {
    const { id, version } = await findSchedule(client, wanted);
    const changed = await client.patch('/api/schedules/{id}', { params: { id }, body: { version, enabled } });
    printNote(io, `${formatTitle(changed)}: ${formatNext(changed)}.`);
  };
}

/** `toolyard schedules run`. */
export async function runSchedule(io: CommandIo, client: ServerClient, wanted: string, { json }: Json): Promise<void> {
  const { id } = await findSchedule(client, wanted);
  const firing = await client.post('/api/schedules/{id}/run', { params: { id } });
  if (json === true) return printJson(io, firing);
  printTable(io, [firingRow(firing)]);
}

/** `toolyard schedules history`. */
export async function listFirings(io: CommandIo, client: ServerClient, wanted: string, { json }: Json): Promise<void> {
  const { id } = await findSchedule(client, wanted);
  const { items } = await client.get('/api/schedules/{id}/firings', { params: { id } });
  printList(io, items, { json, none: 'It has not run yet.', row: firingRow });
}

/** `toolyard schedules delete`. */
export async function deleteSchedule(io: CommandIo, client: ServerClient, wanted: string): Promise<void> {
  const schedule = await findSchedule(client, wanted);
  await client.delete('/api/schedules/{id}', { params: { id: schedule.id } });
  printNote(io, `deleted ${formatTitle(schedule)}.`);
}

function formatTiming({ timing, description }: ScheduleView): string {
  switch (timing.kind) {
    case 'cron':
      return description ?? timing.expression;
    case 'once':
      return `once, ${when(timing.at)}`;
    case 'interval':
      return `every ${timing.seconds} s`;
  }
}

function formatNext({ enabled, nextAt }: ScheduleView): string {
  if (!enabled) return 'paused';
  return nextAt === null ? 'no more times' : `next ${when(nextAt)}`;
}

function formatLast(firing: ScheduleFiring | null): string {
  return firing === null ? '' : `last ${getOutcome(firing)}`;
}

function getOutcome({ outcome, runStatus }: ScheduleFiring): string {
  return outcome === 'started' ? (runStatus ?? 'deleted') : outcome;
}

function firingRow(firing: ScheduleFiring): string[] {
  return [when(firing.plannedAt), getOutcome(firing), firing.conversationId ?? '', firing.reason ?? ''];
}

function createdByModel({ createdIn }: ScheduleView): string {
  return createdIn === null ? 'a model' : `a model, in the conversation ${createdIn.conversationId}`;
}

import type {
  ChangeSchedule,
  Clock,
  CreateSchedule,
  DescriptionLanguage,
  IdSource,
  JsonObject,
  Owner,
  Principal,
  PreviewSchedule,
  ScheduleDefinition,
  ScheduleFiring,
  SchedulePreview,
  ScheduleView,
} from '@toolyard/protocol';
import { defined, formatToolReference, say } from '@toolyard/protocol';
import type { SharedStorage, StoredSchedule } from '@toolyard/storage';
import { createChangedError, createConflictError, createInvalidError, createNotFoundError } from '../errors.ts';
import type { LiveHub, RunServers } from '../services.ts';
import { describeTiming } from './describe-cron.ts';
import {
  completeDefinition,
  completePlan,
  firstTime,
  readDefinition,
  requireGaps,
  samePlan,
  toView,
} from './definition.ts';
import type { UsedTimes } from './due-times.ts';
import { counted, nextWithin } from './due-times.ts';
import type { SchedulerOptions } from './scheduler.ts';
import { Scheduler } from './scheduler.ts';

export type SchedulesOptions = SchedulerOptions & {
  storage: Pick<SharedStorage, 'schedules' | 'conversations' | 'permissions' | 'agents'>;
  servers: Pick<RunServers, 'approve'>;
  hub: LiveHub;
  clock: Clock;
  ids: IdSource;
  /** Of this machine: the default of new schedules. */
  timeZone: string;
};

/** Tasks that run at given times. */
export type Schedules = {
  list(principal: Owner, language?: DescriptionLanguage): Promise<ScheduleView[]>;
  get(principal: Owner, id: string, language?: DescriptionLanguage): Promise<ScheduleView>;
  /** `byModel`: it starts paused, and no tool is allowed in advance. */
  create(principal: Owner, schedule: CreateSchedule, byModel?: { conversationId?: string }): Promise<ScheduleView>;
  /** `conflict` if it was changed since it was read. */
  change(principal: Owner, id: string, change: ChangeSchedule): Promise<ScheduleView>;
  remove(principal: Owner, id: string): Promise<void>;
  /** The next times, without storing anything. */
  preview(request: PreviewSchedule): Promise<SchedulePreview>;
  /** Starts a run now, besides the times of the schedule. */
  run(principal: Owner, id: string): Promise<ScheduleFiring>;
  firings(principal: Owner, id: string): Promise<ScheduleFiring[]>;
};

const UNUSED: UsedTimes = { fired: 0, day: null, onDay: 0 };
const LISTED_FIRINGS = 100;
const PREVIEWED = 5;
const CLAIM_MS = 10_000;

/** Only the owner may choose shorter intervals than a minute. */
function isProgram(principal: Owner | Principal): boolean {
  return 'via' in principal && principal.via === 'api_key';
}

export function createSchedules(
  options: SchedulesOptions,
): Schedules & { start: () => void; close: () => Promise<void> } {
  const { storage, servers, hub, clock, ids, timeZone } = options;
  const scheduler = new Scheduler(options);

  async function stored(principal: Owner, id: string): Promise<StoredSchedule> {
    const schedule = await storage.schedules.get(principal, id);
    if (schedule !== null) return schedule;
    throw createNotFoundError(say`There is no schedule ${JSON.stringify(id)}.`);
  }

  async function check(principal: Owner, { target, agentId, allowedTools }: ScheduleDefinition): Promise<void> {
    if (agentId !== null && (await storage.agents.get(principal, agentId)) === null) {
      throw createInvalidError(say`There is no agent ${JSON.stringify(agentId)}.`);
    }
    const ofTab = allowedTools.find(({ origin }) => origin === 'tab');
    if (ofTab)
      throw createInvalidError(
        say`${formatToolReference(ofTab)} is a tool of a browser tab and cannot be used by a schedule.`,
      );
    if (target.kind === 'new') return;
    if ((await storage.conversations.get(principal, target.conversationId)) === null) {
      throw createInvalidError(say`There is no conversation ${JSON.stringify(target.conversationId)}.`);
    }
    if (agentId !== null)
      throw createInvalidError(say`A schedule that continues a conversation uses the agent of that conversation.`);
    if (allowedTools.length > 0) {
      throw createInvalidError(
        say`Tools can be allowed in advance only for new conversations.`,
        say`Allow the tools in the conversation that the schedule continues.`,
      );
    }
  }

  /** Pins the definitions of the tools that run without approval. */
  function approve(tools: ScheduleDefinition['allowedTools']): void {
    for (const tool of tools) servers.approve({ tool });
  }

  async function view(
    principal: Owner,
    schedule: StoredSchedule,
    language: DescriptionLanguage = 'en',
  ): Promise<ScheduleView> {
    const definition = readable(schedule.definition);
    const [lastFiring = null] = await storage.schedules.firings(principal, schedule.id, 1);
    return toView(schedule, definition, { lastFiring, description: await describeTiming(definition.timing, language) });
  }

  const changed = ({ ownerId }: Owner, id: string): void => hub.changed(ownerId, 'schedules', id);

  return {
    async list(principal, language = 'en') {
      const schedules = await storage.schedules.list(principal);
      const last = await storage.schedules.lastFirings(principal);
      const views = schedules.map(async (schedule): Promise<ScheduleView[]> => {
        const definition = readDefinition(schedule.definition);
        if (definition === null) return [];
        const description = await describeTiming(definition.timing, language);
        return [toView(schedule, definition, { description, lastFiring: last.get(schedule.id) ?? null })];
      });
      return (await Promise.all(views)).flat();
    },
    async get(principal, id, language) {
      return view(principal, await stored(principal, id), language);
    },
    async create(principal, { id = ids.next(), title, enabled = true, ...chosen }, byModel) {
      const definition = completeDefinition(chosen, timeZone);
      if (byModel) definition.allowedTools = [];
      await check(principal, definition);
      const now = clock.now();
      if (byModel !== undefined || isProgram(principal)) requireGaps(definition, now);
      const nextAt = firstTime(definition, now, UNUSED, now);
      const isOn = enabled && byModel === undefined;
      approve(definition.allowedTools);
      const schedule = await storage.schedules.create(principal, {
        id,
        title,
        definition: toJson(definition),
        enabled: isOn,
        createdBy: byModel ? 'model' : 'user',
        ...defined({ createdIn: byModel?.conversationId }),
        nextAt: isOn ? nextAt : null,
        used: UNUSED,
        createdAt: now,
      });
      changed(principal, id);
      return view(principal, schedule);
    },
    async change(principal, id, { version, title, enabled, ...chosen }) {
      const {
        enabled: wasOn,
        used,
        createdAt,
        nextAt: known,
        title: formerTitle,
        ...former
      } = await stored(principal, id);
      const before = readable(former.definition);
      const definition = completeDefinition({ ...before, ...chosen }, timeZone);
      await check(principal, definition);
      const isOn = enabled ?? wasOn;
      // A paused schedule without a future time can still be changed.
      const keepsTimes = (wasOn || !isOn) && samePlan(before, definition);
      if (!keepsTimes && isProgram(principal)) requireGaps(definition, clock.now());
      const nextAt = keepsTimes ? known : firstTime(definition, clock.now(), used, createdAt);
      // Other changes must not renew an approval: a tool may have changed since.
      approve(chosen.allowedTools ?? []);
      const schedule = await storage.schedules.update(principal, id, {
        title: title ?? formerTitle,
        definition: toJson(definition),
        enabled: isOn,
        nextAt: isOn ? nextAt : null,
        version,
        at: clock.now(),
      });
      if (schedule === null) throw createChangedError(say`This schedule was changed by another request.`);
      changed(principal, id);
      return view(principal, schedule);
    },
    async remove(principal, id) {
      await stored(principal, id);
      await storage.schedules.remove(principal, id);
      changed(principal, id);
    },
    async preview({ count = PREVIEWED, language = 'en', timing, ...chosen }) {
      const plan = completePlan({ timing, ...chosen }, timeZone);
      const now = clock.now();
      const times: number[] = [];
      let used = UNUSED;
      for (let at = nextWithin(plan, now, used, now); at !== null && times.length < count;) {
        times.push(at);
        used = counted(used, at, plan.timeZone);
        at = nextWithin(plan, at, used, now);
      }
      return { description: await describeTiming(timing, language), times };
    },
    async run(principal, id) {
      const schedule = await stored(principal, id);
      const key = { scheduleId: id, plannedAt: clock.now() };
      if (await storage.schedules.addFiring(principal, key, key.plannedAt, key.plannedAt + CLAIM_MS)) {
        await scheduler.startNow(schedule, key);
      }
      const firings = await storage.schedules.firings(principal, id, LISTED_FIRINGS);
      const firing = firings.find(({ plannedAt }) => plannedAt === key.plannedAt);
      if (firing) return firing;
      throw createConflictError(say`The schedule was deleted by another request.`);
    },
    async firings(principal, id) {
      await stored(principal, id);
      return storage.schedules.firings(principal, id, LISTED_FIRINGS);
    },
    start: () => scheduler.start(),
    close: () => scheduler.close(),
  };
}

function readable(stored: JsonObject): ScheduleDefinition {
  const definition = readDefinition(stored);
  if (definition !== null) return definition;
  throw createConflictError(
    say`The stored definition of this schedule cannot be read.`,
    say`Update Toolyard, or delete the schedule.`,
  );
}

/** Absent optional fields are left out. */
function toJson(definition: ScheduleDefinition): JsonObject {
  return JSON.parse(JSON.stringify(definition)) as JsonObject;
}

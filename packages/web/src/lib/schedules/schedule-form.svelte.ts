import type {
  CreateSchedule,
  PreviewSchedule,
  ScheduleConditions,
  ScheduleTiming,
  ScheduleView,
  ToolReference,
} from '@toolyard/protocol';
import { defined, formatToolReference } from '@toolyard/protocol';
import { toInterval, toSeconds } from './timing-text.ts';
import { localText, OWN_ZONE, readTime } from './zoned-time.ts';

const HOUR_MS = 3_600_000;
/** A new schedule is proposed for working days at nine. */
const PROPOSED_CRON = '0 9 * * 1-5';
const DEFAULT_MISSED_LIMIT = 10;

type Content = Omit<CreateSchedule, 'id' | 'enabled'>;

/** A schedule as its editor holds it. Fields of other timings keep what was typed in them. */
function toFields(schedule: ScheduleView | null, now: number) {
  const { timing, conditions = {}, target, configuration, ...stored }: Partial<ScheduleView> = schedule ?? {};
  const { timeZone = OWN_ZONE, missed = 'once', overlap = 'skip' } = stored;
  const { unit, count } = toInterval(timing?.kind === 'interval' ? timing.seconds : HOUR_MS / 1_000);
  const { days = [], hours = null, maxPerDay, maxTotal } = conditions;
  return {
    title: stored.title ?? '',
    task: stored.task ?? '',
    kind: timing?.kind ?? 'cron',
    expression: timing?.kind === 'cron' ? timing.expression : PROPOSED_CRON,
    /** Value of a `datetime-local` field in the time zone. */
    onceAt: localText(timing?.kind === 'once' ? timing.at : now + HOUR_MS, timeZone),
    everyCount: String(count),
    everyUnit: unit,
    timeZone,
    days,
    hours,
    maxPerDay,
    maxTotal,
    missed,
    missedLimit: (stored.missedLimit ?? DEFAULT_MISSED_LIMIT) as number | undefined,
    overlap,
    /** Null: a new conversation each time. */
    conversationId: target?.kind === 'conversation' ? target.conversationId : null,
    agentId: stored.agentId ?? '',
    model: configuration?.model ?? null,
    allowedTools: stored.allowedTools ?? [],
  };
}

/** A schedule being edited. */
export class ScheduleForm {
  fields = $state(toFields(null, Date.now()));
  stored: ScheduleView | null;
  readonly #start: number | undefined;
  #initial = '';

  constructor(schedule: ScheduleView | null, now: number = Date.now()) {
    this.stored = schedule;
    this.fields = toFields(schedule, now);
    this.#start = schedule?.timing.kind === 'interval' ? schedule.timing.start : undefined;
    this.#initial = this.#text();
  }

  /** Null while a field of it is empty or invalid. */
  readonly timing: ScheduleTiming | null = $derived.by(() => {
    switch (this.fields.kind) {
      case 'cron': {
        const expression = this.fields.expression.trim();
        return expression === '' ? null : { kind: 'cron', expression };
      }
      case 'once': {
        const at = readTime(this.fields.onceAt, this.fields.timeZone);
        return at === null ? null : { kind: 'once', at };
      }
      case 'interval': {
        const count = Number(this.fields.everyCount);
        if (!Number.isSafeInteger(count) || count < 1) return null;
        const seconds = toSeconds(this.fields.everyUnit, count);
        return { kind: 'interval', seconds, ...defined({ start: this.#start }) };
      }
    }
  });

  readonly conditions: ScheduleConditions = $derived.by(() => {
    const { days, hours, maxPerDay, maxTotal } = this.fields;
    const someDays = days.length === 0 || days.length === 7 ? undefined : days.toSorted((a, b) => a - b);
    return defined({ days: someDays, hours: hours ?? undefined, maxPerDay, maxTotal });
  });

  /** What the next times depend on; null without a timing. */
  readonly preview: PreviewSchedule | null = $derived.by(() => {
    const { timing, conditions } = this;
    return timing === null ? null : { timing, timeZone: this.fields.timeZone, conditions };
  });

  /** Null if it cannot be saved yet. */
  readonly content: Content | null = $derived.by(() => {
    const { timing, conditions } = this;
    const {
      timeZone,
      missed,
      missedLimit = DEFAULT_MISSED_LIMIT,
      overlap,
      conversationId,
      agentId,
      model,
    } = this.fields;
    const [title, task] = [this.fields.title.trim(), this.fields.task.trim()];
    if (timing === null || title === '' || task === '') return null;
    const { model: _, ...configuration } = this.stored?.configuration ?? {};
    const isNew = conversationId === null;
    return {
      title,
      task,
      timing,
      timeZone,
      conditions,
      missed,
      missedLimit,
      overlap,
      target: isNew ? { kind: 'new' } : { kind: 'conversation', conversationId },
      agentId: isNew && agentId !== '' ? agentId : null,
      configuration: model === null ? configuration : { ...configuration, model },
      ...this.#allowedTools(isNew),
    };
  });

  readonly isDirty: boolean = $derived.by(() => this.#initial !== this.#text());

  /** After it was saved. */
  saved(schedule: ScheduleView): void {
    this.stored = schedule;
    this.#initial = this.#text();
  }

  /** Sent only if they changed: the server pins the current definitions of the tools it receives. */
  #allowedTools(isNew: boolean): Pick<Content, 'allowedTools'> {
    const chosen = isNew ? this.fields.allowedTools : [];
    const keys = (tools: readonly ToolReference[]): string => JSON.stringify(tools.map(formatToolReference));
    return keys(chosen) === keys(this.stored?.allowedTools ?? []) ? {} : { allowedTools: chosen };
  }

  #text(): string {
    const { title, task, missed, missedLimit, overlap, conversationId, agentId, model, allowedTools } = this.fields;
    const others = [title, task, missed, missedLimit, overlap, conversationId, agentId, model, allowedTools];
    return JSON.stringify([this.preview, ...others]);
  }
}

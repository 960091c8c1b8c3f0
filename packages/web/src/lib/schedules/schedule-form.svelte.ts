import type {
  CreateSchedule,
  ModelReference,
  PreviewSchedule,
  ScheduleConditions,
  ScheduleTiming,
  ScheduleView,
  ToolReference,
} from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import { intervalOf, secondsOf, type IntervalUnit } from './timing-text.ts';
import { localText, OWN_ZONE, timeOf } from './zoned-time.ts';

const HOUR_MS = 3_600_000;
/** A new schedule is proposed for working days at nine. */
const PROPOSED_CRON = '0 9 * * 1-5';

type Content = Omit<CreateSchedule, 'id' | 'enabled'>;

/** A schedule being edited. Fields of other timings keep what was typed in them. */
export class ScheduleForm {
  title = $state('');
  task = $state('');
  kind: ScheduleTiming['kind'] = $state('cron');
  expression = $state(PROPOSED_CRON);
  /** Value of a `datetime-local` field in {@link timeZone}. */
  onceAt = $state('');
  everyCount = $state('1');
  everyUnit: IntervalUnit = $state('hours');
  timeZone = $state(OWN_ZONE);
  days: number[] = $state([]);
  hours: NonNullable<ScheduleConditions['hours']> | null = $state.raw(null);
  maxPerDay: number | undefined = $state();
  maxTotal: number | undefined = $state();
  missed: ScheduleView['missed'] = $state('once');
  missedLimit: number | undefined = $state(10);
  overlap: ScheduleView['overlap'] = $state('skip');
  /** Empty: a new conversation each time. */
  conversationId: string | null = $state(null);
  agentId = $state('');
  model: ModelReference | null = $state.raw(null);
  allowedTools: ToolReference[] = $state.raw([]);
  stored: ScheduleView | null;
  readonly #start: number | undefined;
  #initial = '';

  constructor(schedule: ScheduleView | null, now: number = Date.now()) {
    this.stored = schedule;
    this.onceAt = localText(now + HOUR_MS, this.timeZone);
    if (schedule !== null) this.#fill(schedule);
    this.#start = schedule?.timing.kind === 'interval' ? schedule.timing.start : undefined;
    this.#initial = this.#text();
  }

  /** Null while a field of it is empty or invalid. */
  readonly timing: ScheduleTiming | null = $derived.by(() => {
    switch (this.kind) {
      case 'cron': {
        const expression = this.expression.trim();
        return expression === '' ? null : { kind: 'cron', expression };
      }
      case 'once': {
        const at = timeOf(this.onceAt, this.timeZone);
        return at === null ? null : { kind: 'once', at };
      }
      case 'interval': {
        const count = Number(this.everyCount);
        if (!Number.isSafeInteger(count) || count < 1) return null;
        const start = this.#start === undefined ? {} : { start: this.#start };
        return { kind: 'interval', seconds: secondsOf(this.everyUnit, count), ...start };
      }
    }
  });

  readonly conditions: ScheduleConditions = $derived.by(() => ({
    ...(this.days.length === 0 || this.days.length === 7 ? {} : { days: [...this.days].sort((a, b) => a - b) }),
    ...(this.hours === null ? {} : { hours: this.hours }),
    ...(this.maxPerDay === undefined ? {} : { maxPerDay: this.maxPerDay }),
    ...(this.maxTotal === undefined ? {} : { maxTotal: this.maxTotal }),
  }));

  /** What the next times depend on; null without a timing. */
  readonly preview: PreviewSchedule | null = $derived.by(() => {
    const { timing, timeZone, conditions } = this;
    return timing === null ? null : { timing, timeZone, conditions };
  });

  /** Null if it cannot be saved yet. */
  readonly content: Content | null = $derived.by(() => {
    const { timing, timeZone, conditions, missed, overlap, conversationId, agentId, model } = this;
    const [title, task] = [this.title.trim(), this.task.trim()];
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
      missedLimit: this.missedLimit ?? 10,
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
    const chosen = isNew ? this.allowedTools : [];
    const keys = (tools: readonly ToolReference[]): string => JSON.stringify(tools.map(formatToolReference));
    return keys(chosen) === keys(this.stored?.allowedTools ?? []) ? {} : { allowedTools: chosen };
  }

  #fill(schedule: ScheduleView): void {
    const { timing, timeZone, conditions, target } = schedule;
    this.title = schedule.title;
    this.task = schedule.task;
    this.timeZone = timeZone;
    this.kind = timing.kind;
    if (timing.kind === 'cron') this.expression = timing.expression;
    if (timing.kind === 'once') this.onceAt = localText(timing.at, timeZone);
    if (timing.kind === 'interval') {
      const { unit, count } = intervalOf(timing.seconds);
      [this.everyUnit, this.everyCount] = [unit, String(count)];
    }
    this.days = conditions.days ?? [];
    this.hours = conditions.hours ?? null;
    this.maxPerDay = conditions.maxPerDay;
    this.maxTotal = conditions.maxTotal;
    this.missed = schedule.missed;
    this.missedLimit = schedule.missedLimit;
    this.overlap = schedule.overlap;
    this.conversationId = target.kind === 'conversation' ? target.conversationId : null;
    this.agentId = schedule.agentId ?? '';
    this.model = schedule.configuration.model ?? null;
    this.allowedTools = schedule.allowedTools;
  }

  #text(): string {
    const { preview, title, task, missed, missedLimit, overlap, conversationId, agentId, model, allowedTools } = this;
    const parts = [preview, title, task, missed, missedLimit, overlap, conversationId, agentId, model, allowedTools];
    return JSON.stringify(parts);
  }
}

import type { ChangeSchedule, CreateSchedule, ScheduleFiring, ScheduleView } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { i18n } from '../i18n/i18n.svelte.ts';
import { live } from '../live/live.svelte.ts';
import { Loaded } from '../state/loaded.svelte.ts';

/** The schedules of the user, by title, described in the language of the page. */
class Schedules extends Loaded<ScheduleView[]> {
  constructor() {
    super(async () => (await api.get('/api/schedules', { query: { language: i18n.locale } })).items, {
      live,
      // The end of a run changes the outcome of its time.
      changes: ['schedules', 'conversations'],
      delayMs: 300,
    });
  }

  get(id: string): Promise<ScheduleView> {
    return api.get('/api/schedules/{id}', { params: { id }, query: { language: i18n.locale } });
  }

  async create(schedule: CreateSchedule): Promise<ScheduleView> {
    const created = await api.post('/api/schedules', { body: schedule });
    await this.load();
    return created;
  }

  async update(id: string, change: ChangeSchedule): Promise<ScheduleView> {
    const updated = await api.patch('/api/schedules/{id}', { params: { id }, body: change });
    await this.load();
    return updated;
  }

  async remove(id: string): Promise<void> {
    await api.delete('/api/schedules/{id}', { params: { id } });
    await this.load();
  }

  async run(id: string): Promise<ScheduleFiring> {
    const firing = await api.post('/api/schedules/{id}/run', { params: { id } });
    await this.load();
    return firing;
  }
}

export const schedules = new Schedules();

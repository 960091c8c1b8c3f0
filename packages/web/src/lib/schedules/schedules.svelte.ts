import type { ChangeSchedule, ScheduleView } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { i18n } from '../i18n/i18n.svelte.ts';
import { live } from '../live/live.svelte.ts';
import { LoadedList } from '../state/loaded.svelte.ts';

/** The schedules of the user, by title, described in the language of the page. */
class Schedules extends LoadedList<ScheduleView> {
  constructor() {
    super(async () => (await api.get('/api/schedules', { query: { language: i18n.locale } })).items, {
      live,
      // The end of a run changes the outcome of its time.
      changes: ['schedules', 'conversations'],
      delayMs: 300,
    });
  }

  update(id: string, body: ChangeSchedule): Promise<ScheduleView> {
    return this.reloadAfter(api.patch('/api/schedules/{id}', { params: { id }, body }));
  }
}

export const schedules = new Schedules();

import type { ConnectionOptions } from 'node:tls';
import type { Clock, Owner, WebhookMessage } from '@toolyard/protocol';
import { showHidden } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { firingOfRun } from '../schedules/firing-of-run.ts';
import type { EmailSettings } from './email-settings.ts';
import type { SentEmail } from './send-email.ts';
import { sendEmail } from './send-email.ts';

export type EmailChannel = {
  settings: EmailSettings;
  /** Sends a notification. Null if there is nothing to send: a user watches the run, or the schedule was deleted. */
  send(principal: Owner, id: string, message: WebhookMessage): Promise<SentEmail | null>;
};

type Options = {
  settings: EmailSettings;
  storage: Pick<SharedStorage, 'runs' | 'schedules'>;
  clock: Clock;
  tls?: ConnectionOptions;
};

const MAX_TITLE = 100;

/** Notifies the owner by e-mail of the runs of schedules, and of their sub-agents. */
export function createEmailChannel({ settings, storage, clock, tls }: Options): EmailChannel {
  return {
    settings,
    async send(principal, id, message) {
      if (message.type === 'test') return null;
      const firing = firingOfRun(await findRoot(principal, message.data.runId ?? '', storage));
      if (firing === null || !(await storage.schedules.hasFiring(principal, firing))) return null;
      const schedule = await storage.schedules.get(principal, firing.scheduleId);
      if (schedule === null) return null;
      const content = createContent(schedule.title, message, settings.pageUrl);
      return sendEmail({ id, ...content }, settings, { clock, ...(tls ? { tls } : {}) });
    },
  };
}

/** The run whose sub-agents these are. */
async function findRoot(principal: Owner, runId: string, { runs }: Pick<SharedStorage, 'runs'>): Promise<string> {
  const run = await runs.getRun(principal, runId);
  return run === null || run.parentRunId === null ? runId : findRoot(principal, run.parentRunId, { runs });
}

function createContent(
  scheduleTitle: string,
  { type, data }: WebhookMessage,
  pageUrl: string | null,
): { subject: string; text: string } {
  const title = showHidden(scheduleTitle.replaceAll(/\s+/g, ' ')).slice(0, MAX_TITLE);
  const { interrupt, error, conversationId } = data;
  const what =
    type === 'interrupt.opened'
      ? interrupt?.kind === 'approval'
        ? 'needs your approval'
        : 'needs your answer'
      : type === 'run.failed'
        ? 'failed'
        : 'finished';
  const lines = [
    `The run of the schedule "${title}" ${what}.`,
    ...(interrupt?.tool === undefined ? [] : [`Tool: ${showHidden(interrupt.tool)}`]),
    ...(error === undefined ? [] : [`Error: ${error.code}`]),
    ...(pageUrl === null || conversationId === undefined
      ? []
      : ['', `${pageUrl}/c/${encodeURIComponent(conversationId)}`]),
  ];
  return { subject: `Toolyard: "${title}" ${what}`, text: `${lines.join('\n')}\n` };
}

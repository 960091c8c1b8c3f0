import type { ErrorInfo } from './schemas/common.ts';

/** Events of webhooks. `run.finished`: the run is done or was cancelled. */
export const WEBHOOK_EVENTS = ['interrupt.opened', 'run.failed', 'run.finished'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/**
 * The body of a delivery: which interrupt or run, never the content of a call. It is signed according to Standard
 * Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`); `webhook-id` is the same in every attempt.
 */
export type WebhookMessage = {
  type: WebhookEvent | 'test';
  /** When it happened, as ISO 8601. */
  timestamp: string;
  data:
    | {
        runId: string;
        conversationId: string;
        status: string;
        interrupt?: { id: string; kind: string; tool?: string };
        /** Set for a failed run. */
        error?: Pick<ErrorInfo, 'code'>;
        /** Only to the webhook of a run: the text of its last answer. */
        result?: { text: string };
      }
    | Record<string, never>;
};

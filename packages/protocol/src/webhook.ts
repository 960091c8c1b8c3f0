import type { ErrorInfo } from './schemas/common.ts';

/** What can be told to an address of the owner's. `run.finished`: it is done, or was cancelled. */
export const WEBHOOK_EVENTS = ['interrupt.opened', 'run.failed', 'run.finished'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/**
 * The body of every message: who is asked what about which call, and never what the call says. It is signed as Standard
 * Webhooks has it (`webhook-id`, `webhook-timestamp`, `webhook-signature`), and its `webhook-id` is the same however
 * often it comes.
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
        /** Of a run that failed. */
        error?: Pick<ErrorInfo, 'code'>;
      }
    | Record<string, never>;
};

import type { ErrorInfo } from './errors.ts';

/** What can be told to an address of the owner's. `run.finished`: it is done, or was cancelled. */
export const WEBHOOK_EVENTS = ['interrupt.opened', 'run.failed', 'run.finished'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Where the owner is told of what happens; the secret that signs it is not told again. */
export type WebhookView = {
  url: string;
  events: WebhookEvent[];
  /** `file`: it stands in `config.json`, and is changed there. */
  origin: 'file' | 'settings';
  /** How much is yet to be told: more than a moment says that nobody answers there. */
  waiting: number;
};
export type WebhookState = { webhook: WebhookView | null };

/** Without a `secret` the one that is there stays, or one is made. Without `events` it is `interrupt.opened`. */
export type SetWebhook = { url: string; secret?: string; events?: WebhookEvent[] };
/** `secret`: the one that was made, told this once. */
export type SetWebhookAnswer = { webhook: WebhookView; secret?: string };

export type TestedWebhook = { ok: true; status: number } | { ok: false; error: ErrorInfo };

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

import { z } from 'zod';
import type { CommitFromTab, FromTab } from '../tab-api.ts';
import { TAB_RUNS_VERSION } from '../tab-api.ts';
import { existingId, jsonObject, named, clientId, timestamp, toolReference } from './common.ts';
import { agentConfiguration, modelReference, resolvedConfiguration } from './configuration.ts';
import { ledgerChange, ledgerEntry } from './ledger.ts';
import { message, userMessage } from './messages.ts';
import { userPart } from './parts.ts';
import { permissionView } from './permissions.ts';
import { interrupt, interruptAnswer, runEvent, runRecord, runStatus } from './runs.ts';
import { requestPrelude } from './sent-requests.ts';
import { spent } from './usage.ts';

const v = z.literal(TAB_RUNS_VERSION);
const begins = {
  v,
  conversationId: existingId,
  /** Made by the sender, so that sending again begins no second run. */
  id: clientId.exactOptional(),
  configuration: agentConfiguration.exactOptional(),
};

export const startRunInTabBody = named(
  'StartRunInTab',
  z.union([
    z.strictObject({
      ...begins,
      parts: z.array(userPart).min(1),
      /** What it follows; absent: the current leaf. */
      parentId: z.string().nullable().exactOptional(),
    }),
    z.strictObject({ ...begins, continues: existingId }),
    z.strictObject({ ...begins, regenerates: existingId }),
  ]),
);

export const claimTabRunBody = named('ClaimTabRun', z.strictObject({ v }));

export const tabLease = named('TabLease', z.strictObject({ fence: z.int().positive() }));

export const tabRunInbox = named(
  'TabRunInbox',
  z.strictObject({
    /** It is to end. */
    stops: z.boolean(),
    /** Items that ask it to stop; they are taken with its end. */
    cancels: z.array(z.string()),
    answers: z.array(z.strictObject({ itemId: z.string(), interruptId: z.string(), answer: interruptAnswer })),
    /** Queued messages it is to take in before its next step; `parts` null: taken back. */
    steers: z.array(
      z.strictObject({ itemId: z.string(), queuedMessageId: z.string(), parts: z.array(userPart).nullable() }),
    ),
    permissions: z.array(permissionView),
    /** Of budgets that more than this run uses, by `budgetKey`. */
    spent: z.record(z.string(), spent),
  }),
);
/** What was said to the run, and what counts for its next step. */
export type TabRunInbox = z.output<typeof tabRunInbox>;

export const leasedTabRun = named(
  'LeasedTabRun',
  z.strictObject({
    run: runRecord,
    message: userMessage.nullable(),
    fence: z.int(),
    attempt: z.int(),
    /** Where it stands, as it is stored with each step. */
    state: jsonObject,
    configuration: resolvedConfiguration,
    model: modelReference,
    /** What is known of the model: what it can take, in tokens, and what it reads beside text. */
    abilities: z.strictObject({
      contextWindow: z.int().exactOptional(),
      inputs: z.array(z.enum(['text', 'image', 'audio', 'video'])).exactOptional(),
    }),
    /** The branch it works on. */
    messages: z.array(message),
    ledger: z.array(ledgerEntry),
    wishes: tabRunInbox,
  }),
);
/** All that a tab needs to go on with a run. */
export type LeasedTabRun = z.output<typeof leasedTabRun>;

export const claimedTabRun = named('ClaimedTabRun', z.strictObject({ held: leasedTabRun.nullable() }));
/** `held` null: it rests, and waits for a person. */
export type ClaimedTabRun = z.output<typeof claimedTabRun>;

const MOST = 10_000;

const given = z.strictObject({
  v,
  fence: z.int().positive(),
  number: z.int().positive(),
  baseSeq: z.int().min(0),
  events: z.array(runEvent).max(MOST),
  state: jsonObject.exactOptional(),
  status: runStatus.exactOptional(),
  messages: z
    .array(z.strictObject({ conversationId: z.string(), message }))
    .max(MOST)
    .exactOptional(),
  leaf: z.strictObject({ from: z.string().nullable(), to: z.string() }).exactOptional(),
  ledger: z.array(ledgerChange).max(MOST).exactOptional(),
  interrupts: z
    .strictObject({
      opened: z
        .array(z.strictObject({ interrupt, mode: z.enum(['parked', 'live']) }))
        .max(MOST)
        .exactOptional(),
      answered: z
        .array(z.strictObject({ id: z.string(), answer: interruptAnswer }))
        .max(MOST)
        .exactOptional(),
      withdrawn: z.array(z.string()).max(MOST).exactOptional(),
    })
    .exactOptional(),
  usage: z
    .array(
      z.strictObject({
        kind: z.literal('tool'),
        at: timestamp,
        durationMs: z.int().min(0),
        tool: toolReference,
        failed: z.boolean(),
      }),
    )
    .max(MOST)
    .exactOptional(),
  preludes: z
    .array(z.strictObject({ id: z.string(), prelude: requestPrelude }))
    .max(MOST)
    .exactOptional(),
  taken: z.array(z.string()).max(MOST).exactOptional(),
  release: z.literal(true).exactOptional(),
});

// The types differ in what is read-only; that each of them is the other, no check can say of such lists.
export const commitFromTabBody: z.ZodType<FromTab<CommitFromTab>> = named('CommitFromTab', given);

export const committedFromTab = named(
  'CommittedFromTab',
  z.strictObject({ lastSeq: z.int(), inboxWaits: z.boolean() }),
);
/** It is stored, now or by an earlier sending of the same. */
export type CommittedFromTab = z.output<typeof committedFromTab>;
type WithoutVersion<T> = T extends unknown ? Omit<T, 'v'> : never;
/**
 * A run whose loop is in a tab (`POST /api/tabs/{tab}/runs`): the tab holds its lease, and commits to
 * `POST /api/tabs/{tab}/runs/{run}/commit`. As everywhere, nobody hears of what is not stored.
 */
export type StartRunInTab = WithoutVersion<z.output<typeof startRunInTabBody>>;

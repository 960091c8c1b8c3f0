import { z } from 'zod';
import type { CommitFromTab, FromTab } from '../tab-api.ts';
import { TAB_RUNS_VERSION } from '../tab-api.ts';
import { existingId, jsonObject, named, namedObject, clientId, timestamp, toolReference } from './common.ts';
import { agentConfiguration, modelReference, resolvedConfiguration } from './configuration.ts';
import { ledgerChange, ledgerEntry } from './ledger.ts';
import { message, userMessage } from './messages.ts';
import { userPart } from './parts.ts';
import { permissionView } from './permissions.ts';
import { runEvent } from './run-events.ts';
import { interrupt, interruptAnswer, runRecord, runStatus } from './runs.ts';
import { requestPrelude } from './sent-requests.ts';
import { spent } from './usage.ts';

const v = z.literal(TAB_RUNS_VERSION);
const begins = {
  v,
  conversationId: existingId,
  /** Chosen by the client, so that a repeated request starts one run. */
  id: clientId.exactOptional(),
  configuration: agentConfiguration.exactOptional(),
};

export const startRunInTabBody = named(
  'StartRunInTab',
  z.union([
    z.strictObject({
      ...begins,
      parts: z.array(userPart).min(1),
      /** The message it follows; absent: the current leaf. */
      parentId: z.string().nullable().exactOptional(),
      /** The agent that answers this message, instead of the conversation's. */
      agentId: existingId.exactOptional(),
    }),
    z.strictObject({ ...begins, continues: existingId }),
    z.strictObject({ ...begins, regenerates: existingId }),
  ]),
);

export const claimTabRunBody = namedObject('ClaimTabRun', { v });

export const tabLease = namedObject('TabLease', { fence: z.int().positive() });

export const tabRunInbox = namedObject('TabRunInbox', {
  /** The run must stop. */
  stops: z.boolean(),
  /** Inbox items that ask it to stop; committing its end removes them. */
  cancels: z.array(z.string()),
  answers: z.array(z.strictObject({ itemId: z.string(), interruptId: z.string(), answer: interruptAnswer })),
  /** Queued messages that the run adds before its next step; `parts` null: withdrawn. */
  steers: z.array(
    z.strictObject({ itemId: z.string(), queuedMessageId: z.string(), parts: z.array(userPart).nullable() }),
  ),
  permissions: z.array(permissionView),
  /** Usage of budgets that are not limited to this run, by `budgetKey`. */
  spent: z.record(z.string(), spent),
});
/** Messages to the run, and what applies to its next step. */
export type TabRunInbox = z.output<typeof tabRunInbox>;

const groupOfRun = z.strictObject({
  settings: z.strictObject({
    title: z.string(),
    mode: z.enum(['supervisor', 'round_robin', 'fixed_order']),
    members: z.array(z.string()),
    maxRounds: z.int(),
    stopPhrases: z.array(z.string()),
  }),
  members: z.array(z.strictObject({ agentId: z.string(), name: z.string(), avatar: z.string().exactOptional() })),
});

export const leasedTabRun = namedObject('LeasedTabRun', {
  run: runRecord,
  message: userMessage.nullable(),
  fence: z.int(),
  attempt: z.int(),
  /** Its state, as each step stores it. */
  state: jsonObject,
  configuration: resolvedConfiguration,
  model: modelReference,
  /** What is known of the model: its context window in tokens, and which input it accepts besides text. */
  abilities: z.strictObject({
    contextWindow: z.int().exactOptional(),
    inputs: z.array(z.enum(['text', 'image', 'audio', 'video'])).exactOptional(),
  }),
  /** The branch that it works on. */
  messages: z.array(message),
  ledger: z.array(ledgerEntry),
  inbox: tabRunInbox,
  /** Set for the run of a group: the group as it is now. */
  group: groupOfRun.exactOptional(),
});
/** Everything a tab needs to continue a run. */
export type LeasedTabRun = z.output<typeof leasedTabRun>;

export const claimedTabRun = namedObject('ClaimedTabRun', { held: leasedTabRun.nullable() });
/** `held` null: the run is parked and waits for a user. */
export type ClaimedTabRun = z.output<typeof claimedTabRun>;

const MAX_ITEMS = 10_000;

const commitFields = z.strictObject({
  v,
  fence: z.int().positive(),
  number: z.int().positive(),
  baseSeq: z.int().min(0),
  events: z.array(runEvent).max(MAX_ITEMS),
  state: jsonObject.exactOptional(),
  status: runStatus.exactOptional(),
  messages: z
    .array(z.strictObject({ conversationId: z.string(), message }))
    .max(MAX_ITEMS)
    .exactOptional(),
  leaf: z.strictObject({ from: z.string().nullable(), to: z.string() }).exactOptional(),
  ledger: z.array(ledgerChange).max(MAX_ITEMS).exactOptional(),
  interrupts: z
    .strictObject({
      opened: z
        .array(z.strictObject({ interrupt, mode: z.enum(['parked', 'live']) }))
        .max(MAX_ITEMS)
        .exactOptional(),
      answered: z
        .array(z.strictObject({ id: z.string(), answer: interruptAnswer }))
        .max(MAX_ITEMS)
        .exactOptional(),
      withdrawn: z.array(z.string()).max(MAX_ITEMS).exactOptional(),
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
    .max(MAX_ITEMS)
    .exactOptional(),
  preludes: z
    .array(z.strictObject({ id: z.string(), prelude: requestPrelude }))
    .max(MAX_ITEMS)
    .exactOptional(),
  taken: z.array(z.string()).max(MAX_ITEMS).exactOptional(),
  release: z.literal(true).exactOptional(),
});

// The types differ only in `readonly`; TypeScript cannot check lists like these for equality.
export const commitFromTabBody: z.ZodType<FromTab<CommitFromTab>> = named('CommitFromTab', commitFields);

export const committedFromTab = namedObject('CommittedFromTab', { lastSeq: z.int(), inboxWaits: z.boolean() });
/** The commit is stored, now or by an earlier request with the same number. */
export type CommittedFromTab = z.output<typeof committedFromTab>;
type WithoutVersion<T> = T extends unknown ? Omit<T, 'v'> : never;
/**
 * A run that executes in a tab (`POST /api/tabs/{tab}/runs`): the tab holds its lease, and commits to `POST
 * /api/tabs/{tab}/runs/{run}/commit`. As everywhere, events are published only once they are stored.
 */
export type StartRunInTab = WithoutVersion<z.output<typeof startRunInTabBody>>;

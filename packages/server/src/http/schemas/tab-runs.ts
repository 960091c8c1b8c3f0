import type {
  CommitFromTab,
  CommittedFromTab,
  FromTab,
  HeldRun,
  LedgerChange,
  LedgerEntry,
  LedgerStatus,
  Spent,
  StartRunInTab,
  TabRunWishes,
  TakenRun,
} from '@toolyard/protocol';
import { TAB_RUNS_VERSION } from '@toolyard/protocol';
import { z } from 'zod';
import { anId, jsonObject, jsonValue, named, newId, time, toolReference } from './common.ts';
import { agentConfiguration, modelReference, resolvedConfiguration } from './configuration.ts';
import { exactly } from './exactly.ts';
import { message, userMessage } from './messages.ts';
import { userPart } from './parts.ts';
import { permissionView } from './permissions.ts';
import { interrupt, interruptAnswer, runEvent, runRecord, runStatus } from './runs.ts';
import { requestPrelude } from './sent-requests.ts';

const v = z.literal(TAB_RUNS_VERSION);
const begins = {
  v,
  conversationId: anId,
  id: newId.exactOptional(),
  configuration: agentConfiguration.exactOptional(),
};

export const startRunInTab = named(
  'StartRunInTab',
  exactly<FromTab<StartRunInTab>>()(
    z.union([
      z.strictObject({
        ...begins,
        parts: z.array(userPart).min(1),
        parentId: z.string().nullable().exactOptional(),
      }),
      z.strictObject({ ...begins, continues: anId }),
      z.strictObject({ ...begins, regenerates: anId }),
    ]),
  ),
);

export const takeRunInTab = named('TakeRunInTab', z.strictObject({ v }));

export const tabLease = named('TabLease', z.strictObject({ fence: z.int().positive() }));

const ledgerStatus = exactly<LedgerStatus>()(z.enum(['planned', 'sent', 'done', 'failed', 'in_doubt', 'cancelled']));

const ledgerEntry: z.ZodType<LedgerEntry> = z.strictObject({
  callId: z.string(),
  runId: z.string(),
  tool: toolReference,
  arguments: jsonObject,
  status: ledgerStatus,
  detail: jsonValue.nullable(),
  updatedAt: time,
  edited: z.literal(true).exactOptional(),
});

const spent = exactly<Spent>()(
  z.strictObject({ dollars: z.number(), tokens: z.number(), calls: z.number(), unpriced: z.number() }),
);

export const tabRunWishes = named(
  'TabRunWishes',
  exactly<TabRunWishes>()(
    z.strictObject({
      stops: z.boolean(),
      cancels: z.array(z.string()),
      answers: z.array(z.strictObject({ itemId: z.string(), interruptId: z.string(), answer: interruptAnswer })),
      steers: z.array(
        z.strictObject({ itemId: z.string(), queuedMessageId: z.string(), parts: z.array(userPart).nullable() }),
      ),
      permissions: z.array(permissionView),
      spent: z.record(z.string(), spent),
    }),
  ),
);

export const heldRun: z.ZodType<HeldRun> = named(
  'HeldRun',
  z.strictObject({
    run: runRecord,
    message: userMessage.nullable(),
    fence: z.int(),
    attempt: z.int(),
    state: jsonObject,
    configuration: resolvedConfiguration,
    model: modelReference,
    abilities: z.strictObject({
      contextWindow: z.int().exactOptional(),
      inputs: z.array(z.enum(['text', 'image', 'audio', 'video'])).exactOptional(),
    }),
    messages: z.array(message),
    ledger: z.array(ledgerEntry),
    wishes: tabRunWishes,
  }),
);

export const takenRun: z.ZodType<TakenRun> = named('TakenRun', z.strictObject({ held: heldRun.nullable() }));

const ledgerChange: z.ZodType<LedgerChange> = z.discriminatedUnion('change', [
  z.strictObject({
    change: z.literal('plan'),
    callId: z.string(),
    tool: toolReference,
    arguments: jsonObject,
    edited: z.literal(true).exactOptional(),
  }),
  z.strictObject({
    change: z.literal('move'),
    callId: z.string(),
    from: ledgerStatus,
    to: ledgerStatus,
    detail: jsonValue.exactOptional(),
  }),
]);

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
        at: time,
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
export const commitFromTab: z.ZodType<FromTab<CommitFromTab>> = named('CommitFromTab', given);

export const committedFromTab = named(
  'CommittedFromTab',
  exactly<CommittedFromTab>()(z.strictObject({ lastSeq: z.int(), inboxWaits: z.boolean() })),
);

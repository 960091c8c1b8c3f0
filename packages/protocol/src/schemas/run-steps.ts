import { z } from 'zod';
import { existingId, errorInfo, jsonObject, named, clientId, timestamp, titleText, toolReference } from './common.ts';
import { agentConfiguration } from './configuration.ts';
import { finishReason, message, usage, userMessage } from './messages.ts';
import { toolResult, userPart } from './parts.ts';
import { instruction, interrupt, interruptAnswer, modelRequest, runRecord } from './runs.ts';

export const startRunBody = named(
  'StartRun',
  z.strictObject({
    /** Made by the sender, so that sending again after a lost connection begins no second run. It is the run's id too. */
    id: clientId.exactOptional(),
    parts: z.array(userPart).min(1).max(100),
    /** Absent: a new one. */
    conversationId: existingId.exactOptional(),
    /** The agent and the title of a new conversation. */
    agentId: existingId.exactOptional(),
    title: titleText.exactOptional(),
    /** Counts for this run only. */
    configuration: agentConfiguration.exactOptional(),
  }),
);
/** `POST /api/runs`: something is said, in a conversation that is there or in one that begins with it. */
export type StartRun = z.output<typeof startRunBody>;
export const startedRun = named('StartedRun', z.strictObject({ run: runRecord, message: userMessage }));
export const resumedRun = named('ResumedRun', z.strictObject({ run: runRecord, resumes: z.string() }));
/** The run that goes on: the same one where it had been parked, else a new one. */
export type ResumedRun = z.output<typeof resumedRun>;

const modelCall = z.strictObject({
  messageId: z.string(),
  model: z.string(),
  /** The last message the model was shown; null for none. */
  parentId: z.string().nullable(),
  /** What it was sent, besides the messages. */
  request: modelRequest.exactOptional(),
  /** Null while it is being written. */
  durationMs: z.number().nullable(),
  finishReason,
  usage: usage.exactOptional(),
  cost: z.number().exactOptional(),
  error: errorInfo.exactOptional(),
  /** What it asked for. */
  calls: z.array(z.strictObject({ callId: z.string(), name: z.string() })),
});
export type RunModelCall = z.output<typeof modelCall>;

const step = z.strictObject({
  step: z.int(),
  /** From 1; a step is tried again after its process has died. */
  attempt: z.int(),
  instruction,
  startedAt: timestamp,
  /** Null while it is under way. */
  endedAt: timestamp.nullable(),
  /** The process died in it, and it was begun again. */
  abandoned: z.literal(true).exactOptional(),
  /** What the model was asked and said. */
  model: modelCall.exactOptional(),
  /** The calls that were made or answered in it. */
  calls: z.array(
    z.strictObject({
      callId: z.string(),
      name: z.string(),
      tool: toolReference.nullable(),
      /** As the model asked for them. */
      arguments: jsonObject,
      editedArguments: jsonObject.exactOptional(),
      /** Null where it was answered without being made. */
      startedAt: timestamp.nullable(),
      /** Null while it is under way. */
      durationMs: z.number().nullable(),
      /** Null while it is under way. */
      result: toolResult.nullable(),
    }),
  ),
  /** What a person was asked in it. */
  questions: z.array(
    z.strictObject({
      interrupt,
      /** Asked inside an open call. */
      live: z.boolean(),
      askedAt: timestamp,
      status: z.enum(['open', 'answered', 'withdrawn']),
      answer: interruptAnswer.nullable(),
      /** When it was answered or withdrawn. */
      closedAt: timestamp.nullable(),
    }),
  ),
  /** What a person said to the run in it. */
  steered: z.array(userMessage),
  notices: z.array(z.strictObject({ level: z.enum(['info', 'warning']), code: z.string(), text: z.string() })),
});
/** One try of one step. */
export type RunStep = z.output<typeof step>;
export type RunCall = RunStep['calls'][number];
export type RunQuestion = RunStep['questions'][number];

const steps = {
  run: runRecord,
  /** What it answers; null where it has not begun. */
  question: userMessage.nullable(),
  items: z.array(step),
  /** How long it lay still and waited for a person, in milliseconds; up to now where it still does. */
  waitedMs: z.number(),
  /** Of the answers that are there. */
  usage,
  /** US dollars; absent where a price or a usage is unknown. */
  cost: z.number().exactOptional(),
  error: errorInfo.exactOptional(),
};
export const runSteps = named('RunSteps', z.strictObject(steps));
/** `GET /api/runs/:id/steps`: what a run did, one instruction after the other. Times are milliseconds since 1970. */
export type RunSteps = z.output<typeof runSteps>;
export const runExport = named(
  'RunExport',
  z.strictObject({
    ...steps,
    format: z.literal('toolyard-run'),
    version: z.literal(1),
    exportedAt: timestamp,
    messages: z.array(message),
  }),
);
/** `GET /api/runs/:id/export`: a run with its steps and the messages of its branch. */
export type RunExport = z.output<typeof runExport>;

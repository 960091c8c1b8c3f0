import { z } from 'zod';
import {
  existingId,
  errorInfo,
  jsonObject,
  named,
  namedObject,
  clientId,
  timestamp,
  titleText,
  toolReference,
  textTemplates,
} from './common.ts';
import { agentConfiguration } from './configuration.ts';
import { finishReason, message, usage, userMessage } from './messages.ts';
import { toolResult, userPart } from './parts.ts';
import { instruction } from './instructions.ts';
import { modelRequest } from './run-events.ts';
import { interrupt, interruptAnswer, runRecord, runStatus } from './runs.ts';
import { webhookSecret, webhookUrl } from './webhook.ts';

/** Longest time that `POST /api/runs` waits for the result, in seconds. */
export const MAX_WAIT_SECONDS = 300;

export const startRunBody = named(
  'StartRun',
  z
    .strictObject({
      /** Chosen by the client, so that a repeated request starts one run. It becomes the run's id. */
      id: clientId.exactOptional(),
      /** The message as text; instead of `parts`. */
      task: z.string().min(1).max(100_000).exactOptional(),
      parts: z.array(userPart).min(1).max(100).exactOptional(),
      /** Absent: a new conversation. */
      conversationId: existingId.exactOptional(),
      /** Agent and title of a new conversation. */
      agentId: existingId.exactOptional(),
      title: titleText.exactOptional(),
      /** Overrides for this run only. */
      configuration: agentConfiguration.exactOptional(),
      /** Seconds to wait for the result; 202 without it if the run has not ended by then, or needs the user. */
      wait: z.int().min(1).max(MAX_WAIT_SECONDS).exactOptional(),
      /** Respond with the events of the run, as `GET /api/runs/{id}/events` does. */
      stream: z.boolean().exactOptional(),
      /** Notified of the interrupts and the end of this run, signed. Without a secret, one is generated and returned. */
      webhook: z.strictObject({ url: webhookUrl, secret: webhookSecret.exactOptional() }).exactOptional(),
    })
    .refine(({ task, parts }) => (task === undefined) !== (parts === undefined), 'expected either task or parts')
    .refine(({ wait, stream }) => wait === undefined || stream !== true, 'expected either wait or stream')
    .refine(
      ({ stream, webhook }) => stream !== true || webhook === undefined || webhook.secret !== undefined,
      'expected a secret of the webhook, because a stream cannot return a generated one',
    ),
);
/** `POST /api/runs`: sends a message, to an existing or a new conversation. */
export type StartRun = z.output<typeof startRunBody>;

const runResult = z.strictObject({
  status: runStatus,
  /** Text of the last answer. */
  text: z.string(),
  usage,
  /** US dollars; absent if unknown. */
  cost: z.number().exactOptional(),
  error: errorInfo.exactOptional(),
});
/** How a run ended. */
export type RunResult = z.output<typeof runResult>;
export const startedRun = namedObject('StartedRun', {
  run: runRecord,
  message: userMessage,
  result: runResult.exactOptional(),
  webhookSecret: z.string().exactOptional(),
});
/** `result`: with `wait`, if the run has ended. `webhookSecret`: the generated one. */
export type StartedRun = z.output<typeof startedRun>;
export const resumedRun = namedObject('ResumedRun', { run: runRecord, resumes: z.string() });
/** The run that continues: the same one if it was parked, otherwise a new one. */
export type ResumedRun = z.output<typeof resumedRun>;

const modelCall = z.strictObject({
  messageId: z.string(),
  model: z.string(),
  /** The last message in the request; null if there was none. */
  parentId: z.string().nullable(),
  /** The request, without the messages. */
  request: modelRequest.exactOptional(),
  /** Null while it is being written. */
  durationMs: z.number().nullable(),
  finishReason,
  usage: usage.exactOptional(),
  cost: z.number().exactOptional(),
  error: errorInfo.exactOptional(),
  /** The calls that it requested. */
  calls: z.array(z.strictObject({ callId: z.string(), name: z.string() })),
});
export type RunModelCall = z.output<typeof modelCall>;

const step = z.strictObject({
  step: z.int(),
  /** From 1; a step is retried after its process crashed. */
  attempt: z.int(),
  instruction,
  startedAt: timestamp,
  /** Null while it executes. */
  endedAt: timestamp.nullable(),
  /** The process crashed during it; the step was retried. */
  abandoned: z.literal(true).exactOptional(),
  /** The model request and its answer. */
  model: modelCall.exactOptional(),
  /** The calls that it made or answered. */
  calls: z.array(
    z.strictObject({
      callId: z.string(),
      name: z.string(),
      tool: toolReference.nullable(),
      /** As the model requested them. */
      arguments: jsonObject,
      editedArguments: jsonObject.exactOptional(),
      /** Null if the call was answered without being made. */
      startedAt: timestamp.nullable(),
      /** Null while it executes. */
      durationMs: z.number().nullable(),
      /** Null while it executes. */
      result: toolResult.nullable(),
    }),
  ),
  /** The interrupts that it opened. */
  questions: z.array(
    z.strictObject({
      interrupt,
      /** Asked during an open call. */
      live: z.boolean(),
      askedAt: timestamp,
      status: z.enum(['open', 'answered', 'withdrawn']),
      answer: interruptAnswer.nullable(),
      /** When it was answered or withdrawn. */
      closedAt: timestamp.nullable(),
    }),
  ),
  /** Messages that the user sent to the run during it. */
  steered: z.array(userMessage),
  notices: z.array(
    z.strictObject({
      level: z.enum(['info', 'warning']),
      code: z.string(),
      text: z.string(),
      templates: textTemplates.exactOptional(),
    }),
  ),
});
/** One attempt of one step. */
export type RunStep = z.output<typeof step>;
export type RunCall = RunStep['calls'][number];
export type RunInterrupt = RunStep['questions'][number];

const steps = {
  run: runRecord,
  /** The user message that it answers; null if the run has not started. */
  question: userMessage.nullable(),
  items: z.array(step),
  /** Time spent parked, in milliseconds; up to now for a run that still is. */
  waitedMs: z.number(),
  /** The usage of the answers so far. */
  usage,
  /** US dollars; absent where a price or a usage is unknown. */
  cost: z.number().exactOptional(),
  error: errorInfo.exactOptional(),
};
export const runSteps = namedObject('RunSteps', steps);
/** `GET /api/runs/:id/steps`: what a run did, one instruction after another. Times are milliseconds since 1970. */
export type RunSteps = z.output<typeof runSteps>;
export const runExport = namedObject('RunExport', {
  ...steps,
  format: z.literal('toolyard-run'),
  version: z.literal(1),
  exportedAt: timestamp,
  messages: z.array(message),
});
/** `GET /api/runs/:id/export`: a run with its steps and the messages of its branch. */
export type RunExport = z.output<typeof runExport>;

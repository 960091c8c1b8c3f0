import type {
  ModelRequestRecord,
  ResumedRun,
  RunExport,
  RunRecord,
  RunSteps,
  StartRun,
  UserMessage,
} from '@toolyard/protocol';
import { z } from 'zod';
import { anId, errorInfo, jsonObject, named, newId, time, title, toolReference } from './common.ts';
import { agentConfiguration } from './configuration.ts';
import { exactly } from './exactly.ts';
import { finishReason, message, usage, userMessage } from './messages.ts';
import { toolResult, userPart } from './parts.ts';
import { instruction, interrupt, interruptAnswer, modelRequest, runRecord } from './runs.ts';

export const startRun = named(
  'StartRun',
  exactly<StartRun>()(
    z.strictObject({
      id: newId.exactOptional(),
      parts: z.array(userPart).min(1).max(100),
      conversationId: anId.exactOptional(),
      agentId: anId.exactOptional(),
      title: title.exactOptional(),
      configuration: agentConfiguration.exactOptional(),
    }),
  ),
);
export const startedRun = named(
  'StartedRun',
  exactly<{ run: RunRecord; message: UserMessage }>()(z.strictObject({ run: runRecord, message: userMessage })),
);
export const resumedRun = named(
  'ResumedRun',
  exactly<ResumedRun>()(z.strictObject({ run: runRecord, resumes: z.string() })),
);

const modelCall = z.strictObject({
  messageId: z.string(),
  model: z.string(),
  parentId: z.string().nullable(),
  request: exactly<ModelRequestRecord>()(modelRequest).exactOptional(),
  durationMs: z.number().nullable(),
  finishReason,
  usage: usage.exactOptional(),
  cost: z.number().exactOptional(),
  error: errorInfo.exactOptional(),
  calls: z.array(z.strictObject({ callId: z.string(), name: z.string() })),
});

const step = z.strictObject({
  step: z.int(),
  attempt: z.int(),
  instruction,
  startedAt: time,
  endedAt: time.nullable(),
  abandoned: z.literal(true).exactOptional(),
  model: modelCall.exactOptional(),
  calls: z.array(
    z.strictObject({
      callId: z.string(),
      name: z.string(),
      tool: toolReference.nullable(),
      arguments: jsonObject,
      editedArguments: jsonObject.exactOptional(),
      startedAt: time.nullable(),
      durationMs: z.number().nullable(),
      result: toolResult.nullable(),
    }),
  ),
  questions: z.array(
    z.strictObject({
      interrupt,
      live: z.boolean(),
      askedAt: time,
      status: z.enum(['open', 'answered', 'withdrawn']),
      answer: interruptAnswer.nullable(),
      closedAt: time.nullable(),
    }),
  ),
  steered: z.array(userMessage),
  notices: z.array(z.strictObject({ level: z.enum(['info', 'warning']), code: z.string(), text: z.string() })),
});

const steps = {
  run: runRecord,
  question: userMessage.nullable(),
  items: z.array(step),
  waitedMs: z.number(),
  usage,
  cost: z.number().exactOptional(),
  error: errorInfo.exactOptional(),
};
export const runSteps = named('RunSteps', exactly<RunSteps>()(z.strictObject(steps)));
export const runExport = named(
  'RunExport',
  exactly<RunExport>()(
    z.strictObject({
      ...steps,
      format: z.literal('toolyard-run'),
      version: z.literal(1),
      exportedAt: time,
      messages: z.array(message),
    }),
  ),
);

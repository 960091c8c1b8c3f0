import type { AgentConfiguration } from './api.ts';
import type { ErrorInfo } from './errors.ts';
import type { InstructionType } from './events.ts';
import type { Interrupt, InterruptAnswer } from './interrupts.ts';
import type { JsonObject } from './json.ts';
import type { ModelRequestRecord } from './model-requests.ts';
import type { Message, MessageEnd, UserMessage } from './messages.ts';
import type { ToolResult, UserPart } from './parts.ts';
import type { RunRecord } from './run-store.ts';
import type { ToolReference } from './tools.ts';
import type { Usage } from './usage.ts';

/** `POST /api/runs`: something is said, in a conversation that is there or in one that begins with it. */
export type StartRun = {
  /** Made by the sender, so that sending again after a lost connection begins no second run. It is the run's id too. */
  id?: string;
  parts: UserPart[];
  /** Absent: a new one. */
  conversationId?: string;
  /** The agent and the title of a new conversation. */
  agentId?: string;
  title?: string;
  /** Counts for this run only. */
  configuration?: AgentConfiguration;
};

/** A part of the work that no process does at the moment, and what that means to people. */
export type AbsentRole = { role: 'worker' | 'tools'; message: string };

/** A run, and what it waits for where nobody can go on with it. */
export type RunView = RunRecord & { waitsFor?: AbsentRole };

/** The run that goes on: the same one where it had been parked, else a new one. */
export type ResumedRun = { run: RunRecord; resumes: string };

/** `GET /api/runs/:id/steps`: what a run did, one instruction after the other. Times are milliseconds since 1970. */
export type RunSteps = {
  run: RunRecord;
  /** What it answers; null where it has not begun. */
  question: UserMessage | null;
  items: RunStep[];
  /** How long it lay still and waited for a person, in milliseconds; up to now where it still does. */
  waitedMs: number;
  /** Of the answers that are there. */
  usage: Usage;
  /** US dollars; absent where a price or a usage is unknown. */
  cost?: number;
  error?: ErrorInfo;
};

/** One try of one step. */
export type RunStep = {
  step: number;
  /** From 1; a step is tried again after its process has died. */
  attempt: number;
  instruction: InstructionType;
  startedAt: number;
  /** Null while it is under way. */
  endedAt: number | null;
  /** The process died in it, and it was begun again. */
  abandoned?: true;
  /** What the model was asked and said. */
  model?: RunModelCall;
  /** The calls that were made or answered in it. */
  calls: RunCall[];
  /** What a person was asked in it. */
  questions: RunQuestion[];
  /** What a person said to the run in it. */
  steered: UserMessage[];
  notices: { level: 'info' | 'warning'; code: string; text: string }[];
};

export type RunModelCall = {
  messageId: string;
  model: string;
  /** The last message the model was shown; null for none. */
  parentId: string | null;
  /** What it was sent, besides the messages. */
  request?: ModelRequestRecord;
  /** Null while it is being written. */
  durationMs: number | null;
  finishReason: MessageEnd;
  usage?: Usage;
  cost?: number;
  error?: ErrorInfo;
  /** What it asked for. */
  calls: { callId: string; name: string }[];
};

export type RunCall = {
  callId: string;
  name: string;
  tool: ToolReference | null;
  /** As the model asked for them. */
  arguments: JsonObject;
  editedArguments?: JsonObject;
  /** Null where it was answered without being made. */
  startedAt: number | null;
  /** Null while it is under way. */
  durationMs: number | null;
  /** Null while it is under way. */
  result: ToolResult | null;
};

export type RunQuestion = {
  interrupt: Interrupt;
  /** Asked inside an open call. */
  live: boolean;
  askedAt: number;
  status: 'open' | 'answered' | 'withdrawn';
  answer: InterruptAnswer | null;
  /** When it was answered or withdrawn. */
  closedAt: number | null;
};

/** `GET /api/runs/:id/export`: a run with its steps and the messages of its branch. */
export type RunExport = RunSteps & {
  format: 'toolyard-run';
  version: 1;
  exportedAt: number;
  messages: Message[];
};

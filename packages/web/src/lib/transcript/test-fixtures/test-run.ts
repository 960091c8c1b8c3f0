import type { RunEvent, RunEventBody } from '@toolyard/protocol';
import { applyRunEvent } from '../apply-event.ts';
import { callState } from './call-state.ts';
import type { CallView } from '../calls.ts';
import type { AssistantRow, TranscriptRow } from '../rows.ts';
import {
  assistantMessage,
  DATE_TOOL,
  run,
  toolCall,
  toolMessage,
  toolResult,
  userMessage,
  view,
} from './test-events.ts';
import { openTranscript } from '../transcript.ts';
import type { Transcript } from '../transcript.ts';

/** A run with one call and its expected rows, for tests. */

export const USER_MESSAGE = userMessage('u1', 'What time is it in Tokyo?');
export const ASKING = assistantMessage('r1.0', [{ type: 'reasoning', text: 'Let me look.' }, toolCall('call1')], {
  finishReason: 'tool_calls',
});
export const RESULT = toolMessage('r1.1.0', 'call1', toolResult('21:30'), 'r1.0');
export const ANSWER = assistantMessage('r1.2', [{ type: 'text', text: 'It is half past nine.' }], {
  parentId: 'r1.1.0',
});

/** From the user's message to the answer, with one call. */
export const WHOLE_RUN: RunEventBody[] = [
  { type: 'run_started', conversationId: 'c1', place: 'server', model: 'demo', message: USER_MESSAGE },
  { type: 'step_started', instruction: 'call_llm' },
  { type: 'message_started', messageId: 'r1.0', parentId: 'u1', model: 'demo' },
  { type: 'reasoning_delta', messageId: 'r1.0', text: 'Let me ' },
  { type: 'reasoning_delta', messageId: 'r1.0', text: 'look.' },
  { type: 'tool_call_started', messageId: 'r1.0', callId: 'call1', name: 'get-date' },
  { type: 'tool_call_delta', messageId: 'r1.0', callId: 'call1', argumentsText: '{"zone":"Asia/Tokyo"}' },
  { type: 'tool_call_ready', messageId: 'r1.0', call: toolCall('call1') },
  { type: 'message_finished', message: ASKING },
  { type: 'step_started', instruction: 'call_tool' },
  { type: 'tool_started', callId: 'call1', tool: DATE_TOOL, name: 'get-date' },
  { type: 'tool_progress', callId: 'call1', progress: 1, total: 2, text: 'asking the clock' },
  { type: 'tool_finished', callId: 'call1', result: toolResult('21:30'), message: RESULT, durationMs: 40 },
  { type: 'message_started', messageId: 'r1.2', parentId: 'r1.1.0', model: 'demo' },
  { type: 'text_delta', messageId: 'r1.2', text: 'It is half ' },
  { type: 'text_delta', messageId: 'r1.2', text: 'past nine.' },
  { type: 'message_finished', message: ANSWER },
  { type: 'run_finished', status: 'done', usage: {} },
];

/** The conversation of run `r1`. */
export function open(): Transcript {
  return openTranscript(view([USER_MESSAGE], { activeRun: run('r1') }));
}

export function play(transcript: Transcript, events: readonly RunEvent[]): Transcript {
  return events.reduce(applyRunEvent, transcript);
}

export function rows(transcript: Transcript): TranscriptRow[] {
  return [...transcript.history, ...transcript.tail];
}

export function answers(transcript: Transcript): AssistantRow[] {
  return rows(transcript).filter((row) => row.kind === 'assistant');
}

/** The first call shown, if any. */
export function firstCall(transcript: Transcript): CallView | undefined {
  for (const row of answers(transcript)) {
    for (const block of row.blocks) if (block.type === 'call') return block.call;
  }
  return undefined;
}

/** The rows without durations, which only observed runs have. */
export function shown(transcript: Transcript): unknown {
  return rows(transcript).map((row) =>
    row.kind === 'assistant'
      ? {
          id: row.messageId,
          status: row.status,
          head: row.head,
          answer: row.answer,
          blocks: row.blocks.map((block) => {
            if (block.type === 'call') return { call: block.call.callId, state: callState(block.call) };
            return block.type === 'reasoning' ? { reasoning: block.text } : block;
          }),
        }
      : { kind: row.kind },
  );
}

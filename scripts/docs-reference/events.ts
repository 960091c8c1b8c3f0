import type { RunEventType } from '../../packages/protocol/src/events.ts';
import { runEvent } from '../../packages/protocol/src/schemas/runs.ts';
import { code, table } from './table.ts';

/** A new event does not compile without a line here. */
const MEANINGS: Readonly<Record<RunEventType, string>> = {
  run_started: 'The run began. `message` is the message it answers.',
  servers_awaited:
    'The run waits up to 5 s for these MCP servers, which connect for the first time. Whatever event follows ends the wait.',
  step_started: 'A step began; `instruction` says what it does.',
  steered: 'The run received a message while it was in progress; it is part of the conversation from here on.',
  request_made: 'A model request is about to be sent; `request` says what it is made of.',
  message_started: 'The model began a message.',
  text_delta: 'More text of the answer.',
  reasoning_delta: 'More reasoning text.',
  tool_call_started: 'The model began to write a tool call.',
  tool_call_delta: 'More of the arguments of a tool call, as the model writes them.',
  tool_call_ready: 'A tool call is complete.',
  tool_call_malformed: 'A tool call cannot be parsed; the model gets an error as its result.',
  message_finished: 'The message is complete. `message` has the whole of the deltas before it.',
  attempt_abandoned:
    'The process that executed the step exited; another attempt starts from the last commit. `messageId` names the partial answer, which is kept, or null without one.',
  interrupt_requested:
    'The run needs an answer of the user. With `live` the run does not park: a server holds its call open meanwhile.',
  interrupt_answered: 'An interrupt was answered.',
  interrupt_withdrawn: 'The interrupt no longer needs an answer.',
  tool_started: 'A call is about to be sent. `editedArguments` are the arguments as the user changed them.',
  tool_progress:
    'Progress of a call. With `waitsFor` it was not sent yet: the server is busy with calls of these conversations.',
  tool_finished: 'A call ended. `result.outcome` says whether it took effect.',
  run_parked: 'The run waits until open interrupts are answered.',
  run_resumed: 'The run continues.',
  compression_started: 'Compaction of the older messages began.',
  compression_finished: 'Compaction ended; `message` replaces the compacted messages in requests. They are kept.',
  compression_failed: 'Compaction failed; the run continues with all messages.',
  notice: 'Information or a warning for the user.',
  run_finished: 'The run ended. `cost` is in US dollars; absent if a price or a token count is unknown.',
};

/** All run events with their fields, from the schema. */
export function eventsReference(): string {
  const rows = runEvent.options.map((option) => {
    const { type, ...fields } = option.shape;
    const [name = ''] = [...type.values];
    const own = Object.entries(fields).filter(([field]) => !COMMON.some(([common]) => common === field));
    const list = own.map(([field, schema]) =>
      code((schema as { _zod: { optin?: string } })._zod.optin === 'optional' ? `${field}?` : field),
    );
    return [code(name), MEANINGS[name as RunEventType], list.join(', ')];
  });
  return `# Run events

A run appends events to its journal. \`GET /api/runs/{id}/events\` streams those of a run (server-sent events; \`after\` continues
after a \`seq\`) and ends with \`event: end\` and \`data: {}\`, which is no \`RunEvent\`; \`GET /api/events\` those of all runs, and \`run\` of \`agent.run()\` is an async iterator over them. Their types are
\`RunEvent\` of \`@toolyard/protocol\`; the schemas of all fields are in \`/api/openapi.json\` (\`RunEvent\`).

Every event has these fields:

${table(
  ['field', 'meaning'],
  COMMON.map(([field, meaning]) => [code(field), meaning]),
)}

${table(['event', 'meaning', 'fields'], rows)}

Ignore events you do not know: newer versions may add some.
`;
}

const COMMON: readonly (readonly [field: string, meaning: string])[] = [
  ['v', 'version of the format'],
  ['seq', 'number of the event in its run, from 1 without gaps'],
  ['runId', 'the run'],
  ['step', 'number of the step'],
  ['attempt', 'number of the attempt; it grows when another process continues the run'],
  ['at', 'time in milliseconds since 1970'],
  ['type', 'name of the event'],
];

import { runEvent } from '../../packages/protocol/src/schemas/run-events.ts';
import { code, table } from './table.ts';

/** All run events with their fields, from the schema. */
export function eventsReference(): string {
  const rows = runEvent.options.map((option) => {
    const { type, ...fields } = option.shape;
    const [name = ''] = [...type.values];
    const own = Object.entries(fields).filter(([field]) => !COMMON.some(([common]) => common === field));
    const list = own.map(([field, schema]) =>
      code((schema as { _zod: { optin?: string } })._zod.optin === 'optional' ? `${field}?` : field),
    );
    return [code(name), option.description ?? '', list.join(', ')];
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

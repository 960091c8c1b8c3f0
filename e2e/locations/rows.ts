import { readFileSync } from 'node:fs';
import type { LOCATION_SCENARIOS } from './scenarios.ts';

type Name = keyof typeof LOCATION_SCENARIOS;

/**
 * The scenarios of each row of the decision table of `GeneralChatAgent`: event and condition.
 */
export const SCENARIOS_OF_ROW: Record<string, readonly [Name, ...Name[]]> = {
  'the user wrote, or steers | turns are left': [
    'the model writes text',
    'steered before its next step',
    'steered at its last step',
    'continues after the length limit',
    'continues after a cancellation',
    'continues after a lost connection',
  ],
  'the user wrote, or steers | the window is nearly full': ['compacts before the context window is full'],
  'the user wrote, or steers | a budget is exhausted': [
    'the budget of a conversation is used up by its second message',
  ],
  'the conversation was compacted | turns are left': ['compacts before the context window is full'],
  'the model failed | its window was full, first time': ['compacts after a context length error'],
  'the model failed | otherwise': ['the model fails', 'context length error after compaction'],
  'the model requests tools | the request did not allow tools': [
    'the turns are used up',
    'the model calls a tool although it must answer',
  ],
  'the model requests tools | the same call too often': ['the model repeats a call too often'],
  'the model requests tools | an approval is needed': ['the model calls a tool', 'the user denies a call'],
  'the model requests tools | the budget of a tool is exhausted': ['the budget of a tool is used up'],
  'the model requests tools | one call': ['the tool is unknown', 'a rule forbids a call'],
  'the model requests tools | several': ['no call asks for approval'],
  'the model wrote text | ': ['the model writes text'],
  'the model wrote nothing | ': ['the model writes nothing'],
  'a tool asks the user | for text or a form': ['the model asks for text', 'the user declines interrupts of the model'],
  'a tool asks the user | for a choice': ['the model asks for a choice'],
  'the user answered | another interrupt is open': ['the model asks the user beside another call'],
  'the user answered | otherwise': ['the model calls several tools', 'the user denies one of several calls'],
  'the user answered | no call is open': ['a budget is used up and raised'],
  'the run is parked | ': ['cancelled during an approval'],
  'the tools answered | turns are left': ['the model calls tools over several turns'],
  'the tools answered | and the window is nearly full': ['compacts between two turns'],
  'the tools answered | the turns are used up': ['the turns are used up by tool calls'],
  'the tools answered | a budget is exhausted': [
    'a budget is used up and raised',
    'a budget is used up and not raised',
  ],
  'a user or a limit stopped the run | ': [
    'cancelled during an answer',
    'cancelled during a call',
    'the run times out',
    'the user denies a call and stops the run',
  ],
};

/** Rows of sub-agents, API keys and long messages, proven by `sub-agents.test.ts` and `compression.test.ts` of the server and `general-chat-agent.test.ts`. */
export const ROWS_OF_SERVER_RUNS: readonly string[] = [
  'the user wrote, or steers | a budget of the parent is exhausted',
  'the user wrote, or steers | the message exceeds the window',
  'a tool delegates | one task',
  'a tool delegates | several tasks',
  'any that a request or call follows | the run must not continue',
];

/** Scenarios of rows that another scenario covers. */
export const VARIANTS: ReadonlySet<string> = variants();

function variants(): Set<string> {
  const first = new Set<string>(Object.values(SCENARIOS_OF_ROW).map(([scenario]) => scenario));
  return new Set(Object.values(SCENARIOS_OF_ROW).flatMap((names) => names.filter((scenario) => !first.has(scenario))));
}

/** The rows of the table in the comment of `GeneralChatAgent`. */
export function rowsOfTable(): string[] {
  const at = new URL('../../packages/agent-runtime/src/general-chat-agent.ts', import.meta.url);
  const rows: string[] = [];
  let happened = '';
  for (const [, line = ''] of readFileSync(at, 'utf8').matchAll(/^ \* \|(.*)\|$/gm)) {
    const [first = '', and = ''] = line.split('|').map((cell) => cell.trim());
    if (first === 'event' || first.startsWith('---')) continue;
    happened = first || happened;
    rows.push(`${happened} | ${and}`);
  }
  return rows;
}

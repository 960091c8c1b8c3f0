import { readFileSync } from 'node:fs';
import type { PLACE_SCENARIOS } from './scenarios.ts';

type Name = keyof typeof PLACE_SCENARIOS;

/**
 * The scenarios of each row of the decision table of `GeneralChatAgent`: event and condition.
 */
export const SCENARIOS_OF_ROW: Record<string, readonly [Name, ...Name[]]> = {
  'the person wrote, or steers | turns are left': [
    'the model writes text',
    'steered before its next step',
    'steered at its last step',
    'continues after the length limit',
    'continues after a cancellation',
    'continues after a lost connection',
  ],
  'the person wrote, or steers | the window is nearly full': ['compacts before the context window is full'],
  'the person wrote, or steers | a budget is used up': [
    'the budget of a conversation is used up by its second message',
  ],
  'the conversation was summed up | turns are left': ['compacts before the context window is full'],
  'the model failed | its window was full, for the 1st time': ['compacts after a context length error'],
  'the model failed | else': ['the model fails', 'context length error after compaction'],
  'the model asks for tools | it was told not to': [
    'the turns are used up',
    'the model calls a tool although it must answer',
  ],
  'the model asks for tools | the same call too often': ['the model repeats a call too often'],
  'the model asks for tools | a person has to be asked': ['the model calls a tool', 'the user denies a call'],
  'the model asks for tools | the budget of a tool is used up': ['the budget of a tool is used up'],
  'the model asks for tools | one call': ['the tool is unknown', 'a rule forbids a call'],
  'the model asks for tools | several': ['no call asks for approval'],
  'the model wrote text | ': ['the model writes text'],
  'the model wrote nothing | ': ['the model writes nothing'],
  'a tool asks the person | for words or a form': [
    'the model asks for text',
    'the user declines questions of the model',
  ],
  'a tool asks the person | for a choice': ['the model asks for a choice'],
  'the person answered | has to be asked something else': ['the model asks a question beside another call'],
  'the person answered | else': ['the model calls several tools', 'the user denies one of several calls'],
  'the person answered | and no call is open': ['a budget is used up and raised'],
  'the run waits for a person | ': ['cancelled during an approval'],
  'the tools answered | turns are left': ['the model calls tools over several turns'],
  'the tools answered | and the window is nearly full': ['compacts between two turns'],
  'the tools answered | they are used up': ['the turns are used up by tool calls'],
  'the tools answered | a budget is used up': ['a budget is used up and raised', 'a budget is used up and not raised'],
  'somebody or something stopped it | ': [
    'cancelled during an answer',
    'cancelled during a call',
    'the run times out',
    'the user denies a call and stops the run',
  ],
};

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
    if (first === 'what happened' || first.startsWith('---')) continue;
    happened = first || happened;
    rows.push(`${happened} | ${and}`);
  }
  return rows;
}

import { readFileSync } from 'node:fs';
import type { PLACE_SCENARIOS } from './scenarios.ts';

type Name = keyof typeof PLACE_SCENARIOS;

/**
 * Which stories tell which row of the decision table of `GeneralChatAgent`: what happened, and what else was so.
 */
export const SCENARIOS_OF_ROW: Record<string, readonly [Name, ...Name[]]> = {
  'the person wrote, or steers | turns are left': [
    'the model writes text',
    'steered before its next step',
    'steered while it would end',
    'goes on where it was cut by its length',
    'goes on where it was stopped',
    'goes on where the line was lost',
  ],
  'the person wrote, or steers | the window is nearly full': ['summed up before the window is full'],
  'the person wrote, or steers | a budget is used up': [
    'the budget of a conversation is used up by its second message',
  ],
  'the conversation was summed up | turns are left': ['summed up before the window is full'],
  'the model failed | its window was full, for the 1st time': ['summed up where the provider says that it is too long'],
  'the model failed | else': ['the model fails', 'too long even when it is summed up'],
  'the model asks for tools | it was told not to': [
    'the turns are used up',
    'the model asks although it was told to answer',
  ],
  'the model asks for tools | the same call too often': ['the same call too often'],
  'the model asks for tools | a person has to be asked': ['the model asks for a tool', 'the person refuses'],
  'the model asks for tools | the budget of a tool is used up': ['the budget of a tool is used up'],
  'the model asks for tools | one call': ['the tool is unknown', 'a rule forbids a call'],
  'the model asks for tools | several': ['nobody is asked where all is allowed'],
  'the model wrote text | ': ['the model writes text'],
  'the model wrote nothing | ': ['the model writes nothing'],
  'a tool asks the person | for words or a form': ['the model asks for words', 'the model asks, and is not answered'],
  'a tool asks the person | for a choice': ['the model asks to choose'],
  'the person answered | has to be asked something else': ['the model asks beside another call'],
  'the person answered | else': ['the model asks for several', 'of several calls one is refused'],
  'the person answered | and no call is open': ['a budget is used up and raised'],
  'the run waits for a person | ': ['stopped while a person is asked'],
  'the tools answered | turns are left': ['the model asks again and again'],
  'the tools answered | and the window is nearly full': ['summed up between two turns'],
  'the tools answered | they are used up': ['the turns are used up with tools to the end'],
  'the tools answered | a budget is used up': ['a budget is used up and raised', 'a budget is used up and stays'],
  'somebody or something stopped it | ': [
    'stopped in mid-answer',
    'stopped in mid-call',
    'it takes too long',
    'the person refuses and ends it',
  ],
};

/** The stories that only repeat a row which another story covers already. */
export const VARIANTS: ReadonlySet<string> = variants();

function variants(): Set<string> {
  const first = new Set<string>(Object.values(SCENARIOS_OF_ROW).map(([story]) => story));
  return new Set(Object.values(SCENARIOS_OF_ROW).flatMap((told) => told.filter((story) => !first.has(story))));
}

/** The rows of the table as it stands at the head of the brain. */
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

import { expect, it } from 'vitest';
import { testTool } from '../servers/test-servers.ts';
import { suggestionsFor } from './suggestions.ts';

const tool = (name: string) => testTool('date', name, { readOnly: true });

it('suggests only messages to the demo that it understands', () => {
  expect(suggestionsFor({ demo: true, tools: [tool('get-date')] })).toEqual(['time', 'timeTwo', 'help', 'slow']);
  expect(suggestionsFor({ demo: true, tools: [] })).toEqual(['help', 'slow']);
});

it('asks a model for the time only if a tool can tell it', () => {
  expect(suggestionsFor({ demo: false, tools: [tool('get-date')] })).toEqual(['time', 'tools', 'explain', 'plan']);
  expect(suggestionsFor({ demo: false, tools: [] })).toEqual(['explain', 'plan', 'write']);
});

import { expect, it } from 'vitest';
import { testTool } from '../servers/test-fixtures/test-servers.ts';
import { suggestionsFor } from './suggestions.ts';
import type { Suggestion } from './suggestions.ts';

const tool = (name: string, readOnly = true) => testTool('date', name, { readOnly });
const clock = { title: 'Date', builtIn: true, tools: [tool('get-date')] };
const named = (suggestions: Suggestion[]): string[] =>
  suggestions.map((one) => (one.kind === 'send' ? one.message : Object.values(one).join(' ')));

it('suggests only messages to the demo that it understands', () => {
  const own = { title: 'Notes', builtIn: false, tools: [tool('search')] };
  expect(named(suggestionsFor({ demo: true, servers: [clock, own] }))).toEqual(['time', 'timeTwo', 'help', 'slow']);
  expect(named(suggestionsFor({ demo: true, servers: [] }))).toEqual(['help', 'slow']);
});

it('asks a model for the time only if a tool can tell it', () => {
  expect(named(suggestionsFor({ demo: false, servers: [clock] }))).toEqual(['time', 'tools', 'explain', 'plan']);
  expect(named(suggestionsFor({ demo: false, servers: [] }))).toEqual(['explain', 'plan', 'write']);
});

it('suggests the servers of the user and a tool of each, preferably one that only reads', () => {
  const notes = { title: 'Notes', builtIn: false, tools: [tool('write', false), tool('search')] };
  const mail = { title: 'Mail', builtIn: false, tools: [tool('send', false)] };
  const empty = { title: 'Empty', builtIn: false, tools: [] };
  expect(named(suggestionsFor({ demo: false, servers: [clock, empty, notes] }))).toEqual([
    'server Notes',
    'tool Notes search',
    'time',
    'explain',
  ]);
  expect(named(suggestionsFor({ demo: false, servers: [notes, mail, clock] }))).toEqual([
    'server Notes',
    'server Mail',
    'tool Notes search',
    'tool Mail send',
  ]);
});

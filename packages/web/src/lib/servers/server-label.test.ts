import { beforeAll, expect, test } from 'vitest';
import { i18n } from '../i18n/i18n.svelte.ts';
import { defaultStateWords, serverLabel } from './server-words.ts';

beforeAll(() => i18n.need('servers'));

const info = (title?: string) => ({ name: 'files', version: '1', ...(title === undefined ? {} : { title }) });

test.each([
  ['the name of the user, then the title', { id: 'work', serverInfo: info('Files') }, { name: 'work', title: 'Files' }],
  ['a title that repeats the name once', { id: 'Files', serverInfo: info('files ') }, { name: 'Files', title: null }],
  ['a server without a title by its name', { id: 'work', serverInfo: info() }, { name: 'work', title: null }],
  [
    'a server of this browser by the name in its entry',
    { id: 'b-1', entry: { name: 'Near me' }, serverInfo: info('Files') },
    { name: 'Near me', title: 'Files' },
  ],
  [
    'a built-in server by its title',
    { id: 'date', builtIn: true, serverInfo: info('Date and time') },
    { name: 'Date and time', title: null },
  ],
  [
    'hidden characters as escapes',
    { id: 'a\u200b', serverInfo: info('F\u202e') },
    { name: 'a⟨U+200B⟩', title: 'F⟨U+202E⟩' },
  ],
])('shows %s', (_what, server, label) => {
  expect(serverLabel(server)).toEqual(label);
});

test.each([
  [true, 'ready', 'Ready, 0 tools'],
  [true, 'reconnecting', 'Connection lost, reconnecting…'],
  [false, 'disabled', 'Off'],
  [false, 'ready', 'Off · used by a chat'],
  [false, 'connecting', 'Off · used by a chat'],
  [false, 'reconnecting', 'Off · used by a chat'],
  [false, 'failed', 'Failed'],
] as const)('in the settings a server with enabled %s that is %s is called “%s”', (enabled, state, words) => {
  expect(defaultStateWords({ enabled, state, tools: [] })).toBe(words);
});

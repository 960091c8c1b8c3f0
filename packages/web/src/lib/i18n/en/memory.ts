/** What models remembered for the user (Settings > Memory). */
export const memory = {
  intro:
    'Notes that models stored with the tool “remember”. Other chats find them only by calling the tool “recall”; they are never added to a chat by themselves.',
  off: 'The memory is disabled: models cannot store or find notes, except in chats that enable it.',
  openTool: 'Open its settings',
  none: 'Nothing is remembered',
  noneText: 'If the memory is enabled, ask a model to remember something.',
  search: 'Search memory',
  count: '{count} of at most {max}',
  noMatch: 'No note contains “{query}”.',
  text: 'Text',
  edit: 'Edit note',
  delete: 'Delete note',
  deleteAll: 'Delete all',
  deleteAllTitle: 'Delete all notes?',
  deleteAllText: {
    one: 'This deletes {count} note permanently.',
    other: 'This deletes {count} notes permanently.',
  },
  source: 'From “{title}”',
  untitled: 'New chat',
  sourceDeleted: 'From a chat that was deleted',
  noSource: 'Not from a chat',
  edited: 'Edited by you on {date}',
} as const;

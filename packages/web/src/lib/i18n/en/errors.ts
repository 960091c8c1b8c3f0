export const errors = {
  network: 'The server could not be reached.',
  networkHint: 'Is Toolyard still running? The page connects again by itself; then try once more.',
  unreadable: 'The server gave an answer this page does not understand (HTTP {status}).',
  pageTitle: 'There is no such page',
  pageText: 'The address {path} leads nowhere.',
  conversationTitle: 'This conversation is not there',
  conversationText: 'It may have been deleted, or the address is not complete.',
  brokenTitle: 'Something went wrong in the page',
  brokenText:
    'Nothing of your conversations is lost: they are kept by the server. Loading the page again usually helps.',
  toNewChat: 'To a new chat',
  reload: 'Load again',
} as const;

export const errors = {
  network: 'The server could not be reached.',
  networkHint: 'Is Toolyard running? The page reconnects automatically; then try again.',
  unreadable: 'Unexpected response from the server (HTTP {status}).',
  pageTitle: 'Page not found',
  pageText: 'The page {path} doesn’t exist.',
  conversationTitle: 'Chat not found',
  conversationText: 'It may have been deleted, or the address is incomplete.',
  brokenTitle: 'Something went wrong',
  brokenText: 'Your chats are safe on the server. Reload the page to continue.',
  toNewChat: 'Start a new chat',
  reload: 'Reload',
} as const;

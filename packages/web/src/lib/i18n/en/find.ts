export const find = {
  label: 'Find in this chat',
  previous: 'Previous match',
  next: 'Next match',
  close: 'Close',
  searching: 'Searching…',
  none: 'No matches',
  place: '{place} of {count}',
  browser: 'Press {keys} again for the browser’s own search.',
} as const;

/** What waits for a person, over all conversations. */
export const inbox = {
  intro: 'What tools and their servers ask you, in all conversations. Nothing here runs out.',
  none: 'Nothing waits for you.',
  count: { one: '{count} question waits for you.', other: '{count} questions wait for you.' },
  question: 'Question about {tool}',
  openChat: 'Open the conversation',
  live: 'Its call is held open until you answer.',
  batchTitle: { one: '{count} call of {tool}', other: '{count} calls of {tool}' },
  batchText: 'They wait one by one below, too. What is feared or has changed is not among these.',
  batchCalls: 'Arguments of the calls',
  allowAll: { one: 'Allow {count} once', other: 'Allow all {count} once' },
  refuseAll: { one: 'Refuse {count}', other: 'Refuse all {count}' },
  notifyOn: 'Notify me of new questions',
  notifyOff: 'Stop notifying me',
  notifyRefused: 'This browser was told not to show notifications of Toolyard. Its settings can change that.',
  noticeTitle: 'Toolyard waits for you',
  noticeText: 'It is about {tool}.',
} as const;

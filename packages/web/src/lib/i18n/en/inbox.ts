/** The open interrupts of all chats. */
export const inbox = {
  intro: 'Approvals and questions from all chats. They don’t expire.',
  none: 'Your inbox is empty.',
  noneText:
    'When a call needs your approval, or a tool or the model asks you something, it waits here, from every chat. Nothing expires.',
  toPermissions: 'What needs approval',
  count: { one: '{count} open question', other: '{count} open questions' },
  interrupt: 'Question about {tool}',
  budget: 'Budget used up',
  live: 'The call waits until you answer.',
  batchTitle: { one: '{count} call of “{tool}” from “{server}”', other: '{count} calls of “{tool}” from “{server}”' },
  batchText:
    'Answer them together, or one by one below. Calls flagged as dangerous and changed tools are not included.',
  batchCalls: 'Arguments of the calls',
  allowAll: { one: 'Allow {count} once', other: 'Allow all {count} once' },
  refuseAll: { one: 'Deny {count}', other: 'Deny all {count}' },
  notifyOn: 'Turn on notifications',
  notifyOff: 'Turn off notifications',
  notifyRefused: 'Notifications are blocked. Allow them in the site settings of your browser.',
  noticeTitle: 'Toolyard needs your answer',
  noticeText: 'About {tool}.',
  noticeBudget: 'A run waits: a budget is used up.',
  subAgentOf: 'Sub-agent of',
} as const;

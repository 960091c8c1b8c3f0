/** The context meter. */
export const context = {
  title: 'Context usage',
  label: 'Context: {percent}% used',
  of: '{tokens} of {window} tokens ({percent}%) in the last request',
  part_instructions: 'Instructions',
  part_tools: 'Tools',
  part_messages: 'Messages and attachments',
  part_results: 'Tool results',
  tokens: { one: '{count} token', other: '{count} tokens' },
  near: 'At 80%, older messages are compacted for the model. The chat itself is kept.',
  full: 'The next request compacts older messages for the model. The chat itself is kept.',
  assumed: 'The model does not report its context window; this size is assumed.',
  estimate: 'Estimate, corrected by the usage the model reports.',
} as const;

/** How full the model's window is. */
export const context = {
  title: 'What fills the model’s window',
  label: 'Context: {percent} % full',
  of: '{tokens} of {window} tokens ({percent} %) in the last request',
  part_instructions: 'Instructions, also of servers',
  part_tools: 'Tools',
  part_messages: 'Messages and attachments',
  part_results: 'Results of tools',
  tokens: { one: '{count} token', other: '{count} tokens' },
  near: 'At 80 % the older part of the conversation is summed up for the model. It stays here as it is.',
  full: 'With the next request the older part of the conversation is summed up for the model. It stays here as it is.',
  assumed: 'The model does not say how much it takes: this size is assumed.',
  estimate: 'Estimated, and put right by what the model tells.',
} as const;

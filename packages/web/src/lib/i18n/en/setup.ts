export const setup = {
  greeting: 'What would you like to do?',
  suggestions: 'Suggestions',
  time: 'What time is it in Tokyo?',
  timeTwo: 'What time is it in London and New York?',
  tools: 'Which tools do you have, and what can they do?',
  help: 'What does the demo understand?',
  slow: 'Show a long answer',
  explain: 'Explain in three sentences why the sky is blue',
  plan: 'Plan a quiet weekend in Taipei',
  write: 'Write a short poem about an open window',
} as const;

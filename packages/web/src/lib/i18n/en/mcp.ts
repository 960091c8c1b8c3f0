export const mcp = {
  add: 'Add a server',
} as const;

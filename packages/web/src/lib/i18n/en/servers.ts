export const servers = {} as const;

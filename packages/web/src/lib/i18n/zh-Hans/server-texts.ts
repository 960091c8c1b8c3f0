import type { ServerTexts } from '../texts.ts';
import { access } from './server-texts/access.ts';
import { agents } from './server-texts/agents.ts';
import { builtIn } from './server-texts/built-in.ts';
import { calls } from './server-texts/calls.ts';
import { dangers } from './server-texts/dangers.ts';
import { groups } from './server-texts/groups.ts';
import { mcpConnections } from './server-texts/mcp-connections.ts';
import { mcpServers } from './server-texts/mcp-servers.ts';
import { models } from './server-texts/models.ts';
import { runs } from './server-texts/runs.ts';
import { schedules } from './server-texts/schedules.ts';

export const serverTexts: ServerTexts = {
  ...access,
  ...agents,
  ...builtIn,
  ...calls,
  ...dangers,
  ...groups,
  ...mcpConnections,
  ...mcpServers,
  ...models,
  ...runs,
  ...schedules,
};

import type { FunctionToolGroup } from '@toolyard/agent-host';
import type { Owner } from '@toolyard/protocol';
import type { WebSettings } from './web/web-settings.ts';
import { createWebTools } from './web/web-tools.ts';

/** The built-in tools that need this server. All are off until a user enables them. */
export function createServerTools(of: { webTools: WebSettings; owner: Owner }): {
  groups: FunctionToolGroup[];
  close(): Promise<void>;
} {
  const web = createWebTools(of.webTools, of.owner);
  return { groups: [web], close: () => web.close() };
}

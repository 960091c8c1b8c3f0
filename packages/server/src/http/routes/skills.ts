import type { Principal } from '@toolyard/protocol';
import type { SkillScope } from '../../built-in/skills/skills.ts';
import { readStoredConfiguration } from '../../config/agent-configuration.ts';
import { findConversation } from '../views/conversation-view.ts';
import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

/** Agent Skills: list, view, and switch on and off. */
export function addSkillRoutes({ route }: Router, deps: HttpAppOptions): void {
  const { skills, configurations, hub } = deps;

  route('GET /api/skills', async ({ principal, query }) => {
    const { scope, tokens } = await getScope(principal, query.conversation);
    return skills.list(principal, scope, tokens);
  });

  route('GET /api/skills/{id}', async ({ principal, params, query }) =>
    skills.get(principal, params.id, (await getScope(principal, query.conversation)).scope),
  );

  route('GET /api/skills/{id}/file', async ({ principal, params, query }) =>
    skills.file(principal, params.id, query.path, (await getScope(principal, query.conversation)).scope),
  );

  route('PATCH /api/skills/{id}', async ({ principal, params, body }) => {
    const { scope } = await getScope(principal, body.conversation);
    const view = await skills.change(principal, params.id, body, scope);
    hub.changed(principal.ownerId, 'settings', 'skills');
    return view;
  });

  /** Workspace and servers of a conversation, or of the defaults. */
  async function getScope(
    principal: Principal,
    conversationId: string | undefined,
  ): Promise<{ scope: SkillScope; tokens: number | undefined }> {
    const conversation = conversationId === undefined ? null : await findConversation(deps, principal, conversationId);
    const { workspace, servers, skillCatalogueTokens } = await configurations.resolve(principal, {
      agentId: conversation?.agentId ?? null,
      ...(conversation === null ? {} : { conversation: readStoredConfiguration(conversation.configuration) }),
    });
    const hasServer = (id: string, enabled: boolean): boolean => servers[id] ?? enabled;
    return { scope: { workspace, hasServer }, tokens: skillCatalogueTokens };
  }
}

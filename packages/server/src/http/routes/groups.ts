import type { GroupDefinition, GroupView, Principal } from '@toolyard/protocol';
import { defined, say } from '@toolyard/protocol';
import { createChangedError } from '../../errors.ts';
import { checkDefinition, completeDefinition, storedDefinition, toView } from '../../groups/group-definition.ts';
import { groupRunView } from '../../groups/group-run-view.ts';
import { notFound } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import { toRunView } from '../views/run-view.ts';
import type { HttpAppOptions } from '../types.ts';

export function addGroupRoutes({ route }: Router, { storage, runs, hub, clock, ids }: HttpAppOptions): void {
  const { groups } = storage;

  route('GET /api/groups', async ({ principal }) => ({ items: (await groups.list(principal)).map(toView) }));

  route('POST /api/groups', async ({ principal, body: { id = ids.next(), title, ...chosen } }) => {
    const definition = checkDefinition(completeDefinition(chosen));
    await checkAgents(principal, definition);
    const stored = storedDefinition(definition);
    const group = await groups.create(principal, { id, title, definition: stored, at: clock.now() });
    hub.changed(principal.ownerId, 'groups', id);
    return toView(group);
  });

  route('GET /api/groups/{id}', ({ principal, params: { id } }) => find(principal, id));

  route('PATCH /api/groups/{id}', async ({ principal, params: { id }, body: { version, title, ...change } }) => {
    const {
      id: _id,
      title: before,
      version: _version,
      createdAt: _created,
      updatedAt: _updated,
      ...definition
    } = await find(principal, id);
    const { memberMaxTurns = definition.memberMaxTurns, maxRounds = definition.maxRounds, ...changed } = change;
    const { memberMaxTurns: _turns, maxRounds: _rounds, ...rest } = definition;
    const limits = defined({ memberMaxTurns: memberMaxTurns ?? undefined, maxRounds: maxRounds ?? undefined });
    const next = checkDefinition({ ...rest, ...changed, ...limits });
    // An agent that was deleted since may stay: it is reported when it is its turn.
    await checkAgents(principal, next, definition);
    const group = await groups.update(principal, id, {
      title: title ?? before,
      definition: storedDefinition(next),
      version,
      at: clock.now(),
    });
    if (group === null) throw createChangedError(say`This group was changed by another request.`);
    hub.changed(principal.ownerId, 'groups', id);
    return toView(group);
  });

  route('DELETE /api/groups/{id}', async ({ principal, params: { id } }) => {
    if (!(await groups.remove(principal, id))) throw notFound('group', id);
    hub.changed(principal.ownerId, 'groups', id);
  });

  route('GET /api/runs/{id}/group', async ({ principal, params: { id } }) => ({
    group: await groupRunView(storage, principal, id),
  }));

  route('POST /api/runs/{id}/pause', async ({ principal, params: { id } }) =>
    toRunView(await runs.pause(principal, id)),
  );

  async function find(principal: Principal, id: string): Promise<GroupView> {
    const group = await groups.get(principal, id);
    if (group === null) throw notFound('group', id);
    return toView(group);
  }

  async function checkAgents(
    principal: Principal,
    definition: GroupDefinition,
    before?: GroupDefinition,
  ): Promise<void> {
    const known = new Set(before && listAgentIds(before));
    for (const id of listAgentIds(definition)) {
      if (!known.has(id) && (await storage.agents.get(principal, id)) === null) throw notFound('agent', id);
    }
  }
}

function listAgentIds({ members, mode }: GroupDefinition): string[] {
  const supervisor = mode.kind === 'supervisor' && 'agentId' in mode.supervisor ? [mode.supervisor.agentId] : [];
  return [...members.map(({ agentId }) => agentId), ...supervisor];
}

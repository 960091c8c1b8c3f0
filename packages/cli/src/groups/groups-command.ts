import type { CreateGroup, GroupMode, GroupView } from '@toolyard/protocol';
import { defined, roundsOf } from '@toolyard/protocol';
import { findAgent } from '../server/find-by-name.ts';
import type { CommandIo } from '../command-io.ts';
import { pluralize, printFacts, printJson, printLine, printList, printNote, shownTitle } from '../output.ts';
import type { ServerClient } from '../server/server-client.ts';
import { findGroup } from '../server/find-by-name.ts';
import { createConfigError } from '../errors.ts';

type Json = { json?: boolean };
export type NewGroupFlags = Json & {
  member: string[];
  order?: 'round-robin' | 'fixed';
  supervisor?: string;
  instructions?: string;
  maxRounds?: number;
  stop: string[];
};

const MODES: Record<GroupMode['kind'], string> = {
  supervisor: 'supervisor',
  round_robin: 'round robin',
  fixed_order: 'fixed order',
};

/** `toolyard groups list`. */
export async function listGroups(io: CommandIo, client: ServerClient, { json }: Json): Promise<void> {
  const { items } = await client.get('/api/groups');
  printList(io, items, {
    json,
    none: 'No groups.',
    row: ({ id, title, members, mode }) => [
      id,
      shownTitle(title),
      pluralize(members.length, 'member'),
      MODES[mode.kind],
    ],
  });
}

/** `toolyard groups show`. */
export async function showGroup(io: CommandIo, client: ServerClient, wanted: string, { json }: Json): Promise<void> {
  const group = await findGroup(client, wanted);
  if (json === true) return printJson(io, group);
  const { items: agents } = await client.get('/api/agents');
  const getTitle = (id: string): string => agents.find((agent) => agent.id === id)?.title ?? `deleted agent ${id}`;
  const { mode, members, instructions } = group;
  const supervisor = mode.kind === 'supervisor' ? mode.supervisor : undefined;
  const details = [
    ['ID', group.id],
    ['Name', shownTitle(group.title)],
    ['Mode', MODES[mode.kind]],
    ['Supervisor', supervisor && ('agentId' in supervisor ? getTitle(supervisor.agentId) : 'a model')],
    ['Rounds', String(roundsOf(group))],
    ['Members', members.map(({ agentId, name }) => name ?? getTitle(agentId)).join(', ')],
    ['Stops at', group.stopPhrases.join(', ') || undefined],
  ] as const;
  printFacts(io, details, instructions);
}

/** `toolyard groups create`. Members are names or IDs of agents. */
export async function createGroup(
  io: CommandIo,
  client: ServerClient,
  title: string,
  flags: NewGroupFlags,
): Promise<void> {
  const members: CreateGroup['members'] = [];
  for (const wanted of flags.member) members.push({ agentId: (await findAgent(client, wanted)).id });
  const { instructions, maxRounds, stop } = flags;
  const group: GroupView = await client.post('/api/groups', {
    body: {
      title,
      members,
      mode: await readMode(client, flags),
      ...defined({ instructions, maxRounds }),
      ...(stop.length === 0 ? {} : { stopPhrases: stop }),
    },
  });
  if (flags.json === true) return printJson(io, group);
  printLine(io, `${group.id}  ${shownTitle(group.title)}`);
}

async function readMode(client: ServerClient, { order, supervisor }: NewGroupFlags): Promise<GroupMode> {
  if (order !== undefined && supervisor !== undefined) {
    throw createConfigError(
      '--order cannot be combined with --supervisor: a supervisor decides who speaks.',
      'Use one of them.',
    );
  }
  if (order !== undefined) return { kind: order === 'fixed' ? 'fixed_order' : 'round_robin' };
  if (supervisor === undefined) return { kind: 'supervisor', supervisor: { instructions: '' } };
  return { kind: 'supervisor', supervisor: { agentId: (await findAgent(client, supervisor)).id } };
}

/** `toolyard groups delete`. */
export async function deleteGroup(io: CommandIo, client: ServerClient, wanted: string): Promise<void> {
  const { id, title } = await findGroup(client, wanted);
  await client.delete('/api/groups/{id}', { params: { id } });
  printNote(io, `deleted ${shownTitle(title)}.`);
}

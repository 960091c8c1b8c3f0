import type { CreateGroup, GroupMode, GroupView } from '@toolyard/protocol';
import { defined, roundsOf, ToolyardError } from '@toolyard/protocol';
import { findAgent } from '../agents/find-agent.ts';
import type { CommandIo } from '../command-io.ts';
import { columns } from '../models/columns.ts';
import { jsonLines, plainLine, sanitize, shownLine } from '../sanitize.ts';
import type { ServerClient } from '../server/server-client.ts';
import { findGroup } from './find-group.ts';

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
  if (json === true) return void io.stdout.write(`${jsonLines(items)}\n`);
  if (items.length === 0) return void io.stderr.write('No groups.\n');
  const rows = items.map(({ id, title, members, mode }) => [
    id,
    nameOf(title),
    `${members.length} ${members.length === 1 ? 'member' : 'members'}`,
    MODES[mode.kind],
  ]);
  io.stdout.write(`${columns(rows).join('\n')}\n`);
}

/** `toolyard groups show`. */
export async function showGroup(io: CommandIo, client: ServerClient, wanted: string, { json }: Json): Promise<void> {
  const group = await findGroup(client, wanted);
  if (json === true) return void io.stdout.write(`${jsonLines(group)}\n`);
  const { items: agents } = await client.get('/api/agents');
  const titleOf = (id: string): string => agents.find((agent) => agent.id === id)?.title ?? `deleted agent ${id}`;
  const { mode, members, instructions } = group;
  const supervisor = mode.kind === 'supervisor' ? mode.supervisor : null;
  const facts: [string, string][] = [
    ['ID', group.id],
    ['Name', nameOf(group.title)],
    ['Mode', MODES[mode.kind]],
    ...(supervisor
      ? [['Supervisor', 'agentId' in supervisor ? titleOf(supervisor.agentId) : 'a model'] as [string, string]]
      : []),
    ['Rounds', String(roundsOf(group))],
    ['Members', members.map(({ agentId, name }) => name ?? titleOf(agentId)).join(', ')],
    ...(group.stopPhrases.length > 0 ? [['Stops at', group.stopPhrases.join(', ')] as [string, string]] : []),
  ];
  const lines = columns(facts.map(([name, value]) => [name, plainLine(value, 500)]));
  io.stdout.write(`${[...lines, ...(instructions === '' ? [] : ['', sanitize(instructions)])].join('\n')}\n`);
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
      mode: await modeOf(client, flags),
      ...defined({ instructions, maxRounds }),
      ...(stop.length === 0 ? {} : { stopPhrases: stop }),
    },
  });
  if (flags.json === true) return void io.stdout.write(`${jsonLines(group)}\n`);
  io.stdout.write(`${group.id}  ${nameOf(group.title)}\n`);
}

async function modeOf(client: ServerClient, { order, supervisor }: NewGroupFlags): Promise<GroupMode> {
  if (order !== undefined && supervisor !== undefined) {
    throw new ToolyardError({
      code: 'bad_config',
      message: '--order cannot be combined with --supervisor: a supervisor decides who speaks.',
      hint: 'Use one of them.',
    });
  }
  if (order !== undefined) return { kind: order === 'fixed' ? 'fixed_order' : 'round_robin' };
  if (supervisor === undefined) return { kind: 'supervisor', supervisor: { instructions: '' } };
  return { kind: 'supervisor', supervisor: { agentId: (await findAgent(client, supervisor)).id } };
}

/** `toolyard groups delete`. */
export async function deleteGroup(io: CommandIo, client: ServerClient, wanted: string): Promise<void> {
  const { id, title } = await findGroup(client, wanted);
  await client.delete('/api/groups/{id}', { params: { id } });
  io.stderr.write(`toolyard: deleted ${nameOf(title)}.\n`);
}

function nameOf(title: string): string {
  return title.trim() === '' ? '(untitled)' : shownLine(title, 60);
}

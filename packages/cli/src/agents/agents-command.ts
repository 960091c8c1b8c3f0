import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AgentFormat, AgentPartLeftOut } from '@toolyard/protocol';
import { messageOf, ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { columns } from '../models/columns.ts';
import { jsonLines, plainLine, sanitize, shownLine } from '../sanitize.ts';
import { saveOrPrint } from '../server/save-or-print.ts';
import type { ServerClient } from '../server/server-client.ts';
import { findAgent } from './find-agent.ts';

type Json = { json?: boolean };

const MAX_NAME = 60;
const MAX_DESCRIPTION = 100;

const LEFT_OUT: Record<AgentPartLeftOut, string> = {
  tools: 'tools',
  rules: 'rules that allow calls',
  mode: 'approval mode',
  workspace: 'workspace folder',
  'preset-tasks': 'models of tasks',
  model: 'model (its provider is not set up here)',
  avatar: 'avatar image',
  lorebook: 'lorebook',
  greetings: 'alternative greetings',
  'instructions-after-history': 'instructions after the history',
  knowledge: 'files and knowledge bases',
  settings: 'some request settings',
  'too-long': 'the end of texts that are too long',
};

/** `toolyard agents list`. */
export async function listAgents(io: CommandIo, client: ServerClient, { json }: Json): Promise<void> {
  const { items } = await client.get('/api/agents');
  if (json === true) return void io.stdout.write(`${jsonLines(items)}\n`);
  if (items.length === 0) return void io.stderr.write('No agents.\n');
  const rows = items.map(({ id, title, profile }) => [
    id,
    nameOf(title),
    shownLine(profile.description ?? '', MAX_DESCRIPTION),
  ]);
  io.stdout.write(`${columns(rows).join('\n')}\n`);
}

/** `toolyard agents show`. */
export async function showAgent(io: CommandIo, client: ServerClient, wanted: string, { json }: Json): Promise<void> {
  const agent = await findAgent(client, wanted);
  if (json === true) return void io.stdout.write(`${jsonLines(agent)}\n`);
  const { id, title, profile, configuration } = agent;
  const { model, instructions = '' } = configuration;
  const facts: [string, string | undefined][] = [
    ['ID', id],
    ['Name', nameOf(title)],
    ['Description', profile.description],
    ['Tags', profile.tags?.join(', ')],
    ['Model', model && `${model.providerId}/${model.modelId}`],
  ];
  const lines = columns(facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, plainLine(value, 500)]])));
  io.stdout.write(`${[...lines, ...(instructions === '' ? [] : ['', sanitize(instructions)])].join('\n')}\n`);
}

/** `toolyard agents export`: to stdout, or to a new file. */
export async function exportAgent(
  io: CommandIo,
  client: ServerClient,
  wanted: string,
  { format, output }: { format: AgentFormat; output?: string },
): Promise<void> {
  const { id } = await findAgent(client, wanted);
  const path = `/api/agents/${encodeURIComponent(id)}/export?format=${format}`;
  await saveOrPrint(io, await client.open(path), output);
}

/** `toolyard agents import`. */
export async function importAgents(io: CommandIo, client: ServerClient, file: string, { json }: Json): Promise<void> {
  const imported = await client.upload('/api/agents/import', new Blob([readFile(io, file)]));
  if (json === true) return void io.stdout.write(`${jsonLines(imported)}\n`);
  for (const { agent, leftOut } of imported.agents) {
    io.stdout.write(`${agent.id}  ${nameOf(agent.title)}\n`);
    const parts = leftOut.map((part) => LEFT_OUT[part]).join(', ');
    if (parts !== '') io.stderr.write(`toolyard: ${nameOf(agent.title)}: not imported: ${parts}.\n`);
  }
  for (const { at, problem } of imported.invalid) io.stderr.write(`toolyard: ${at}: ${plainLine(problem, 300)}\n`);
}

/** `toolyard agents delete`. */
export async function deleteAgent(io: CommandIo, client: ServerClient, wanted: string): Promise<void> {
  const { id, title } = await findAgent(client, wanted);
  await client.delete('/api/agents/{id}', { params: { id } });
  io.stderr.write(`toolyard: deleted ${nameOf(title)}.\n`);
}

function nameOf(title: string): string {
  return title.trim() === '' ? '(untitled)' : shownLine(title, MAX_NAME);
}

function readFile({ cwd }: CommandIo, file: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(resolve(cwd, file));
  } catch (thrown) {
    throw new ToolyardError({
      code: 'bad_config',
      message: `${file} cannot be read: ${messageOf(thrown)}.`,
      hint: 'Name an existing file.',
    });
  }
}

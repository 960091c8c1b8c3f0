import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AgentFormat, AgentPartLeftOut } from '@toolyard/protocol';
import { messageOf } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { printFacts, printJson, printLine, printList, printNote, shownTitle } from '../output.ts';
import { plainLine, shownLine } from '../sanitize.ts';
import { saveOrPrint } from '../server/save-or-print.ts';
import type { ServerClient } from '../server/server-client.ts';
import { findAgent } from '../server/find-by-name.ts';
import { createConfigError } from '../errors.ts';

type Json = { json?: boolean };

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
  printList(io, items, {
    json,
    none: 'No agents.',
    row: ({ id, title, profile }) => [id, shownTitle(title), shownLine(profile.description ?? '', MAX_DESCRIPTION)],
  });
}

/** `toolyard agents show`. */
export async function showAgent(io: CommandIo, client: ServerClient, wanted: string, { json }: Json): Promise<void> {
  const agent = await findAgent(client, wanted);
  if (json === true) return printJson(io, agent);
  const { id, title, profile, configuration } = agent;
  const { model, instructions = '' } = configuration;
  const details = [
    ['ID', id],
    ['Name', shownTitle(title)],
    ['Description', profile.description],
    ['Tags', profile.tags?.join(', ')],
    ['Model', model && `${model.providerId}/${model.modelId}`],
  ] as const;
  printFacts(io, details, instructions);
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
  if (json === true) return printJson(io, imported);
  for (const { agent, leftOut } of imported.agents) {
    printLine(io, `${agent.id}  ${shownTitle(agent.title)}`);
    const parts = leftOut.map((part) => LEFT_OUT[part]).join(', ');
    if (parts !== '') printNote(io, `${shownTitle(agent.title)}: not imported: ${parts}.`);
  }
  for (const { at, problem } of imported.invalid) printNote(io, `${at}: ${plainLine(problem, 300)}`);
}

/** `toolyard agents delete`. */
export async function deleteAgent(io: CommandIo, client: ServerClient, wanted: string): Promise<void> {
  const { id, title } = await findAgent(client, wanted);
  await client.delete('/api/agents/{id}', { params: { id } });
  printNote(io, `deleted ${shownTitle(title)}.`);
}

function readFile({ cwd }: CommandIo, file: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(resolve(cwd, file));
  } catch (thrown) {
    throw createConfigError(`${file} cannot be read: ${messageOf(thrown)}.`, 'Name an existing file.');
  }
}

import type { SkillProblem, SkillSource, SkillView } from '@toolyard/protocol';
import { showHidden } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { columns } from '../models/columns.ts';
import { printJson, printLine, printNote, printTable } from '../output.ts';
import { sanitize, shownLine } from '../sanitize.ts';
import type { ServerClient } from '../server/server-client.ts';
import { createConfigError } from '../errors.ts';

export type SkillFlags = { conversation?: string; json?: boolean };

const DIGEST_LENGTH = 'sha256:'.length + 12;

/** `toolyard skills list`. */
export async function listSkills(io: CommandIo, client: ServerClient, flags: SkillFlags): Promise<void> {
  const list = await client.get('/api/skills', { query: toQuery(flags) });
  if (flags.json === true) return printJson(io, list);
  const rows = list.items.map(({ name, source, state, digest, leftOut, description }) => [
    name,
    sourceName(source),
    leftOut ? `${state}, left out of the list` : state,
    digest.slice(0, DIGEST_LENGTH),
    description,
  ]);
  printTable(io, rows);
  if (rows.length === 0) printLine(io, `No skills. Put folders with a SKILL.md into ${list.folder}.`);
  for (const problem of list.problems) printNote(io, describeProblem(problem));
}

/** `toolyard skills show`: the skill with its SKILL.md, or one file. */
export async function showSkill(
  io: CommandIo,
  client: ServerClient,
  name: string,
  flags: SkillFlags & { file?: string },
): Promise<void> {
  const { id } = await findSkill(client, name, flags);
  if (flags.file !== undefined) {
    const query = { ...toQuery(flags), path: flags.file };
    const file = await client.get('/api/skills/{id}/file', { params: { id }, query });
    if (flags.json === true) return printJson(io, file);
    if (file.text !== null) return void io.stdout.write(shownText(file.text));
    throw createConfigError(`${shownLine(file.path)} is not shown: it is not text, or larger than 1 MB.`);
  }
  const skill = await client.get('/api/skills/{id}', { params: { id }, query: toQuery(flags) });
  if (flags.json === true) return printJson(io, skill);
  const { confirmedDigest, digest } = skill;
  const details = [
    ['name', skill.name],
    ['id', id],
    ['source', sourceName(skill.source)],
    ['state', skill.state],
    ['digest', digest],
    ...(confirmedDigest === null || confirmedDigest === digest ? [] : [['switched on with', confirmedDigest]]),
    ...(skill.allowedTools.length === 0 ? [] : [['names tools (no effect)', skill.allowedTools.join(' ')]]),
    ['files', skill.files.map(({ path }) => path).join(', ')],
  ];
  io.stdout.write(`${columns(details).join('\n')}\n\n${shownText(skill.text)}`);
}

/** `toolyard skills on` and `off`. */
export function switchSkill(enabled: boolean) {
  return async (
    io: CommandIo,
    client: ServerClient,
    name: string,
    flags: SkillFlags & { digest?: string },
  ): Promise<void> => {
    const found = await findSkill(client, name, flags);
    const { digest = found.digest } = flags;
    const changed = await client.patch('/api/skills/{id}', {
      params: { id: found.id },
      body: enabled ? { enabled, digest, ...toQuery(flags) } : { enabled, ...toQuery(flags) },
    });
    if (flags.json === true) printJson(io, changed);
    else
      printNote(io, enabled ? `switched on ${changed.name} with ${changed.digest}.` : `switched off ${changed.name}.`);
  };
}

/** By id, or by a name that one skill has. */
async function findSkill(client: ServerClient, name: string, flags: SkillFlags): Promise<SkillView> {
  const { items } = await client.get('/api/skills', { query: toQuery(flags) });
  const found = items.filter((each) => each.id === name || each.name === name);
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  throw createConfigError(
    first === undefined
      ? `There is no skill "${shownLine(name)}".`
      : `${found.length} skills are named "${shownLine(name)}".`,
    first === undefined
      ? 'List the skills with "toolyard skills list".'
      : `Use an ID: ${found.map(({ id }) => id).join(', ')}.`,
  );
}

function toQuery({ conversation }: SkillFlags): { conversation?: string } {
  return conversation === undefined ? {} : { conversation };
}

function sourceName(source: SkillSource): string {
  if (source.kind === 'data') return 'data folder';
  return source.kind === 'workspace' ? `workspace ${source.path}` : `server ${source.serverId}`;
}

function describeProblem({ source, place, reason, line }: SkillProblem): string {
  const where = [sourceName(source), ...(place === '' ? [] : [place]), ...(line === undefined ? [] : [`line ${line}`])];
  return shownLine(`set aside: ${where.join(', ')}: ${reason}`, 500);
}

/** Text of a skill, which must not control the terminal. */
function shownText(text: string): string {
  const shown = showHidden(sanitize(text));
  return shown.endsWith('\n') ? shown : `${shown}\n`;
}

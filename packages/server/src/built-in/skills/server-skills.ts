import type { ListedSkill } from '@toolyard/mcp-host';
import type { Owner, SkillSource, AnyText } from '@toolyard/protocol';
import { say, withTemplates } from '@toolyard/protocol';
import type { Servers } from '../../mcp/operations.ts';
import { readHead } from './read-skill-text.ts';
import type { FoundSkill, FoundSkills, SkillFiles } from './skill.ts';
import { getDigest, isPlainPath, MAX_BYTES, MAX_FILES, MAX_SKILLS, sha256, SKILL_FILE, skillId } from './skill.ts';
import { SkillFault, faultText } from './skill-fault.ts';

const TIMEOUT_MS = 15_000;
const AT_ONCE = 8;

/** What skills need of the MCP servers. */
export type SkillServers = Pick<Servers, 'ask'> & { editable: Pick<Servers['editable'], 'list'> };

/** The skills that a connected server offers (SEP-2640). Files are not fetched: the server lists their digests. */
export async function readServerSkills(
  servers: SkillServers,
  principal: Owner,
  serverId: string,
  signal?: AbortSignal,
): Promise<FoundSkills> {
  const source: SkillSource = { kind: 'server', serverId };
  const found: FoundSkills = { skills: [], problems: [] };
  const problem = (place: string, reason: AnyText): void =>
    void found.problems.push(withTemplates({ source, place, reason }));
  try {
    const stop = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]);
    const { skills, skipped } = await servers.ask('skills', principal, { params: { id: serverId } }, stop);
    for (const { name, reason } of skipped) problem(name, reason);
    if (skills.length > MAX_SKILLS)
      problem('', say`There are more than ${MAX_SKILLS} skills; the others are not read.`);
    for (const listed of skills.slice(0, MAX_SKILLS)) {
      try {
        const skill = toFoundSkill(listed, source, { servers, principal });
        if (found.skills.some(({ id }) => id === skill.id)) {
          throw new SkillFault(`The server lists two skills named "${skill.head.name}".`);
        }
        found.skills.push(skill);
      } catch (thrown) {
        problem(listed.uri, faultText(thrown));
      }
    }
  } catch (thrown) {
    problem('', faultText(thrown));
  }
  return found;
}

type ListedFile = { path: string; uri: string; hash: string; size: number };

function toFoundSkill(
  { uri, frontmatter, files: listed }: ListedSkill,
  source: Extract<SkillSource, { kind: 'server' }>,
  from: { servers: SkillServers; principal: Owner },
): FoundSkill {
  if (!uri.endsWith(`/${SKILL_FILE}`)) throw new SkillFault('Its URI does not end with /SKILL.md.');
  const base = uri.slice(0, -SKILL_FILE.length);
  if (listed === null) throw new SkillFault(say`The server does not list its files, so that they cannot be pinned.`);
  if (listed.length > MAX_FILES) throw new SkillFault(say`The skill has more than ${MAX_FILES} files.`);
  const files = listed.map((file): ListedFile => ({
    path: pathIn(base, file.uri),
    uri: file.uri,
    hash: file.digest.replace(/^sha256:/, ''),
    size: file.size,
  }));
  if (new Set(files.map(({ path }) => path)).size < files.length) throw new SkillFault('It lists a file twice.');
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES) {
    throw new SkillFault(say`The skill has more than ${MAX_BYTES / 1024 / 1024} MB.`);
  }
  const folder = decoded(base.slice(0, -1).split('/').at(-1) ?? '');
  const head = readHead(frontmatter, folder);
  return {
    id: skillId(source, head.name),
    source,
    head,
    digest: getDigest(files),
    files: files.map(({ path, size }) => ({ path, size })).sort((one, other) => (one.path < other.path ? -1 : 1)),
    read: (paths, signal) =>
      fetchFiles(paths === undefined ? files : files.filter(({ path }) => paths.includes(path)), uri, signal),
  };

  async function fetchFiles(wanted: readonly ListedFile[], of: string, signal?: AbortSignal): Promise<SkillFiles> {
    const read = new Map<string, Uint8Array>();
    const { servers, principal } = from;
    for (let at = 0; at < wanted.length; at += AT_ONCE) {
      await Promise.all(
        wanted.slice(at, at + AT_ONCE).map(async (file) => {
          const request = { params: { id: source.serverId }, body: { uri: of, path: file.uri } };
          const data = await servers.ask('skillFile', principal, request, signal);
          const bytes = Buffer.from(data, 'base64');
          if (sha256(bytes) !== file.hash) throw new SkillFault(say`${file.path} differs from what the server lists.`);
          read.set(file.path, bytes);
        }),
      );
    }
    return read;
  }
}

/** @throws SkillFault for a URI that is not below the skill, or whose path is no plain one */
function pathIn(base: string, uri: string): string {
  const path = uri.startsWith(base) ? decoded(uri.slice(base.length)) : '';
  if (!isPlainPath(path))
    throw new SkillFault(say`The URI ${uri.slice(0, 300)} of a file is not below that of its skill.`);
  return path;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SkillFault(`"${text.slice(0, 300)}" is not a valid part of a URI.`);
  }
}

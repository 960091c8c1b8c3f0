import { join } from 'node:path';
import type { RunSkills } from '@toolyard/agent-host';
import type {
  Owner,
  ResolvedAgentConfiguration,
  SkillDetail,
  SkillFile,
  SkillList,
  SkillProblem,
  SkillView,
  SwitchSkill,
} from '@toolyard/protocol';
import { ToolyardError, say, messageText, withTemplates } from '@toolyard/protocol';
import { createConflictError, createNotFoundError } from '../../errors.ts';
import type { SkillServers } from './server-skills.ts';
import { decodeText } from '../workspace/text-file.ts';
import { openWorkspace } from '../workspace/workspace-path.ts';
import { FolderSkills } from './folder-skills.ts';
import { readServerSkills } from './server-skills.ts';
import type { FoundSkill, FoundSkills } from './skill.ts';
import { bySourceAndName, SKILL_FILE } from './skill.ts';
import { SkillFault } from './skill-fault.ts';
import { CATALOGUE_TOKENS, createSkillList } from './skill-list.ts';
import type { SkillCopies } from './skill-copies.ts';
import type { SkillSwitches } from './skill-switches.ts';

/** The folder of skills in a workspace, by the convention of the clients of Agent Skills. */
const WORKSPACE_FOLDER = ['.agents', 'skills'] as const;
const DATA_FOLDER = 'skills';
const MAX_SHOWN_BYTES = 1024 * 1024;

/** Where to look for skills. */
export type SkillScope = {
  workspace?: string | undefined;
  /** Whether the skills of an MCP server count; default: those of enabled servers. */
  hasServer?: (serverId: string, enabled: boolean) => boolean;
};

export type KnownSkill = FoundSkill & {
  state: SkillView['state'];
  confirmedDigest: string | null;
};

type KnownSkills = { skills: KnownSkill[]; problems: SkillProblem[] };

type SkillsOptions = {
  dataDir: string;
  switches: SkillSwitches;
  copies: SkillCopies;
  /** Known after the built-in tools, which are servers as well. */
  servers: () => SkillServers;
};

/** Agent Skills (https://agentskills.io) of an owner: which exist, which are on, and what they contain. */
export class Skills {
  readonly #options: SkillsOptions;
  readonly #folders = new FolderSkills();

  constructor(options: SkillsOptions) {
    this.#options = options;
  }

  get folder(): string {
    return join(this.#options.dataDir, DATA_FOLDER);
  }

  /** All skills in the scope with their states, in a stable order. */
  async known(principal: Owner, scope: SkillScope, which: 'all' | 'decided' = 'all'): Promise<KnownSkills> {
    const switches = await this.#options.switches.all(principal);
    const servers = await this.#serversIn(principal, scope, which === 'all' ? null : switches);
    const found = await Promise.all([
      this.#folders.read(this.folder, { kind: 'data' }),
      this.#inWorkspace(scope.workspace),
      ...servers.map((id) => readServerSkills(this.#options.servers(), principal, id)),
    ]);
    const skills = found.flatMap((each) => each.skills).sort(bySourceAndName);
    const on = new Set<string>();
    const known: KnownSkill[] = [];
    for (const skill of skills) {
      const confirmedDigest = await this.#confirmed(principal, skill, switches);
      const isOn = confirmedDigest === skill.digest;
      const state = !isOn
        ? confirmedDigest === null
          ? 'off'
          : 'changed'
        : on.has(skill.head.name)
          ? 'shadowed'
          : 'on';
      if (isOn) on.add(skill.head.name);
      known.push({ ...skill, state, confirmedDigest });
    }
    return { skills: known, problems: found.flatMap((each) => each.problems) };
  }

  /** The skills of a run; undefined if none is on. Never throws for what a source has. */
  async ofRun(principal: Owner, configuration: ResolvedAgentConfiguration): Promise<RunSkills | undefined> {
    const { workspace, servers, skillCatalogueTokens = CATALOGUE_TOKENS } = configuration;
    const chosen = new Set<string>();
    const hasServer = (id: string, enabled: boolean): boolean => {
      const isChosen = servers[id] ?? enabled;
      if (isChosen) chosen.add(id);
      return isChosen;
    };
    const { skills } = await this.known(principal, { workspace, hasServer }, 'decided');
    const on = skills.filter(({ state }) => state === 'on');
    if (on.length === 0) return undefined;
    return { list: createSkillList(on, skillCatalogueTokens).text, servers: [...chosen] };
  }

  async list(principal: Owner, scope: SkillScope, listTokens: number = CATALOGUE_TOKENS): Promise<SkillList> {
    const { skills, problems } = await this.known(principal, scope);
    const { leftOut } = createSkillList(
      skills.filter(({ state }) => state === 'on'),
      listTokens,
    );
    return {
      items: skills.map((skill) => toView(skill, leftOut)),
      problems,
      folder: this.folder,
      workspace: scope.workspace ?? null,
    };
  }

  async get(principal: Owner, id: string, scope: SkillScope): Promise<SkillDetail> {
    const skill = await this.#find(principal, id, scope);
    const bytes = await readFile(skill, SKILL_FILE);
    return { ...toView(skill, new Set()), text: decodeText(bytes, SKILL_FILE) };
  }

  async file(principal: Owner, id: string, path: string, scope: SkillScope): Promise<SkillFile> {
    const skill = await this.#find(principal, id, scope);
    const size = skill.files.find((each) => each.path === path)?.size;
    if (size === undefined) throw createNotFoundError(say`The skill "${skill.head.name}" has no file ${path}.`);
    if (size > MAX_SHOWN_BYTES) return { path, size, text: null };
    const bytes = await readFile(skill, path);
    try {
      return { path, size, text: decodeText(bytes, path) };
    } catch {
      return { path, size, text: null };
    }
  }

  /** @throws ToolyardError `not_found`; `conflict` if the skill has changed since it was shown */
  async change(principal: Owner, id: string, change: SwitchSkill, scope: SkillScope): Promise<SkillView> {
    const skill = await this.#find(principal, id, scope);
    if (change.enabled && change.digest !== skill.digest) {
      throw createConflictError(
        say`The skill "${skill.head.name}" has changed since it was shown.`,
        say`Look at it again before you switch it on.`,
      );
    }
    const { switches, copies } = this.#options;
    await switches.set(principal, id, change.enabled ? skill.digest : null);
    if (skill.confirmedDigest !== null && (!change.enabled || skill.confirmedDigest !== skill.digest)) {
      await copies.remove(skill.confirmedDigest);
    }
    return toView(await this.#find(principal, id, scope), new Set());
  }

  async #find(principal: Owner, id: string, scope: SkillScope): Promise<KnownSkill> {
    const { skills } = await this.known(principal, scope);
    const found = skills.find((each) => each.id === id);
    if (found) return found;
    throw createNotFoundError(
      say`There is no skill ${id}.`,
      say`It was removed or is invalid, or its server is not connected. Reload the list of skills.`,
    );
  }

  async #inWorkspace(path: string | undefined): Promise<FoundSkills> {
    if (path === undefined || path === '') return { skills: [], problems: [] };
    const source = { kind: 'workspace', path } as const;
    try {
      const { root } = openWorkspace(path, [this.#options.dataDir]);
      return await this.#folders.read(join(root, ...WORKSPACE_FOLDER), { kind: 'workspace', path: root });
    } catch (thrown) {
      return { skills: [], problems: [withTemplates({ source, place: '', reason: messageText(thrown) })] };
    }
  }

  /** The connected servers in the scope; with `switches` only those with a skill that the user decided about. */
  async #serversIn(
    principal: Owner,
    { hasServer = (_id, enabled) => enabled }: SkillScope,
    switches: ReadonlyMap<string, string | null> | null,
  ): Promise<string[]> {
    const decided = (id: string): boolean =>
      switches === null || [...switches.keys()].some((key) => key.startsWith(`server:${id}:`));
    if (switches !== null && ![...switches.keys()].some((key) => key.startsWith('server:'))) return [];
    const { items } = await this.#options.servers().editable.list(principal);
    return items
      .filter(({ id, builtIn, enabled }) => !builtIn && decided(id) && hasServer(id, enabled))
      .filter(({ state }) => state === 'ready')
      .map(({ id }) => id);
  }

  /**
   * The digest that is on. Skills of the data folder are the user's own: they are on as they are when they are first
   * seen. Those of workspaces and servers are off until the user switches them on.
   */
  async #confirmed(
    principal: Owner,
    { id, source, digest }: FoundSkill,
    switches: ReadonlyMap<string, string | null>,
  ): Promise<string | null> {
    const stored = switches.get(id);
    if (stored !== undefined) return stored;
    if (source.kind !== 'data') return null;
    await this.#options.switches.set(principal, id, digest);
    return digest;
  }
}

/** @throws ToolyardError if the file differs from the digest of the skill */
export async function readFile(skill: FoundSkill, path: string, signal?: AbortSignal): Promise<Uint8Array> {
  try {
    const bytes = (await skill.read([path], signal)).get(path);
    if (bytes !== undefined) return bytes;
    throw new SkillFault(say`The skill "${skill.head.name}" has no file ${path}.`);
  } catch (thrown) {
    if (!(thrown instanceof SkillFault)) throw thrown;
    throw new ToolyardError({ code: 'tool_failed', message: thrown.message });
  }
}

function toView(
  { id, head, source, state, digest, confirmedDigest, files }: KnownSkill,
  leftOut: ReadonlySet<string>,
): SkillView {
  return {
    id,
    ...head,
    source,
    state,
    digest,
    confirmedDigest,
    files: [...files],
    leftOut: leftOut.has(id),
  };
}

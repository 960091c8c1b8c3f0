import type { Client } from '@modelcontextprotocol/client';
import type { Skill } from '@modelcontextprotocol/client/ext/skills';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { McpRequestOptions, SkippedItem } from '../types.ts';

/** A skill as its server lists it: instructions for a model, and files that belong to them. Untrusted like any tool. */
export type ListedSkill = {
  /** The address of its `SKILL.md`. */
  uri: string;
  name: string;
  description: string;
  /** Every file of it with its size in bytes; null where the server does not say beforehand. */
  files: { uri: string; size: number }[] | null;
};

/** A file of a skill that is what its server listed. */
export type SkillFile = {
  uri: string;
  mimeType?: string;
  bytes: Uint8Array;
  /** Where it is a text. */
  text?: string;
  /** Of the `SKILL.md` itself: what it says, without what stands above. */
  body?: string;
};

/** The skills of one server (SEP-2640). No file is fetched before somebody asks for it. */
export class ServerSkills {
  readonly #serverId: string;
  readonly #client: Client;
  readonly #timeoutMs: number;

  constructor(options: { serverId: string; client: Client; timeoutMs: number }) {
    this.#serverId = options.serverId;
    this.#client = options.client;
    this.#timeoutMs = options.timeoutMs;
  }

  async list(options: McpRequestOptions): Promise<{ skills: ListedSkill[]; skipped: SkippedItem[] }> {
    const { SkillsClient } = await import('@modelcontextprotocol/client/ext/skills');
    const listed = await new SkillsClient(this.#client, { skipInvalid: true }).list({}, this.#sdk(options));
    return {
      skills: listed.skills.map(listedSkill),
      skipped: listed.invalid.map(({ index, uri, reason }) => ({ name: uri ?? `#${index + 1}`, reason })),
    };
  }

  /**
   * Reads one file, by default the `SKILL.md`, and checks it against what the server lists of it now.
   *
   * @param path within the skill, or the address of one of its files
   * @throws ToolyardError `bad_response` for a file that is not what was listed: it is not to be used, nor is the rest
   */
  async read(uri: string, path: string | undefined, options: McpRequestOptions): Promise<SkillFile> {
    const { SkillsClient, SkillVerificationError } = await import('@modelcontextprotocol/client/ext/skills');
    const client = new SkillsClient(this.#client, { skipInvalid: true });
    const sdk = this.#sdk(options);
    try {
      const { skills } = await client.list({}, sdk);
      const skill = skills.find((one) => one.uri === uri) ?? (await client.get(uri, sdk)).skill;
      const { mimeType, bytes, text, body, uri: at } = await client.read(skill, path, sdk);
      return {
        uri: at,
        bytes,
        ...defined({ mimeType, text, body }),
      };
    } catch (thrown) {
      if (!(thrown instanceof SkillVerificationError)) throw thrown;
      throw new ToolyardError(
        {
          code: 'bad_response',
          message: `A file of the skill "${uri}" is not what the server "${this.#serverId}" has listed: ${thrown.message}`,
          hint: 'The skill is not used. Whoever looks after the server should find out why it changed.',
        },
        { cause: thrown },
      );
    }
  }

  #sdk({ signal, timeoutMs = this.#timeoutMs }: McpRequestOptions): { signal?: AbortSignal; timeout: number } {
    return { timeout: timeoutMs, ...defined({ signal }) };
  }
}

function listedSkill({ uri, frontmatter, resources }: Skill): ListedSkill {
  const { name, description } = frontmatter;
  return {
    uri,
    name,
    description,
    files: resources === 'dynamic' ? null : resources.map(({ uri: at, size }) => ({ uri: at, size })),
  };
}

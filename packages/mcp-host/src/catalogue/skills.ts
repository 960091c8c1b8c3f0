import type { Client } from '@modelcontextprotocol/client';
import type { Skill } from '@modelcontextprotocol/client/ext/skills';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { McpRequestOptions, SkippedItem } from '../types.ts';

/** A skill as its server lists it: instructions for a model and their files. Untrusted, like tools. */
export type ListedSkill = {
  /** The URI of its `SKILL.md`. */
  uri: string;
  name: string;
  description: string;
  /** The frontmatter of its `SKILL.md`. */
  frontmatter: Readonly<Record<string, unknown>>;
  /** All files with their sizes in bytes and digests (`sha256:…`); null if the server does not list them. */
  files: { uri: string; size: number; digest: string }[] | null;
};

/** A file of a skill that matches its listing. */
export type SkillFile = {
  uri: string;
  mimeType?: string;
  bytes: Uint8Array;
  /** Set for text files. */
  text?: string;
  /** For `SKILL.md`: its text without the frontmatter. */
  body?: string;
};

/** The skills of one server (SEP-2640). Files are fetched on demand. */
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
    const client = new SkillsClient(this.#client, { skipInvalid: true });
    // The SDK would log a line for each server without skills.
    if (!client.supported) return { skills: [], skipped: [] };
    const listed = await client.list({}, this.#sdk(options));
    return {
      skills: listed.skills.map(listedSkill),
      skipped: listed.invalid.map(({ index, uri, reason }) => ({ name: uri ?? `#${index + 1}`, reason })),
    };
  }

  /**
   * Reads one file, by default `SKILL.md`, and verifies it against the server's current listing.
   *
   * @param path within the skill, or the URI of one of its files
   * @throws ToolyardError `bad_response` for a file that differs from its listing: do not use it or the rest of the
   * skill
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
          message: `A file of the skill "${uri}" does not match what the server "${this.#serverId}" lists: ${thrown.message}`,
          hint: 'The skill was not used. Ask the operator of the server why the file changed.',
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
    frontmatter,
    files: resources === 'dynamic' ? null : resources.map(({ uri: at, size, digest }) => ({ uri: at, size, digest })),
  };
}

import type {
  AgentConfiguration,
  AgentPartLeftOut,
  AgentProfile,
  ConversationExample,
  JsonObject,
  JsonValue,
} from '@toolyard/protocol';
import { defined, firstEmoji, isJsonObject } from '@toolyard/protocol';

/** An agent read from a file. Its texts are untrusted; it switches nothing on. */
export type FileAgent = {
  title: string;
  profile: AgentProfile;
  configuration: AgentConfiguration;
  leftOut: AgentPartLeftOut[];
};

const MAX = {
  title: 200,
  description: 2_000,
  tags: 20,
  tag: 60,
  openingMessage: 20_000,
  openingQuestions: 10,
  openingQuestion: 1_000,
  examples: 50,
} as const;

/** Collects the parts of an agent from a file of another program, within the limits of this one. */
export class FileAgentReader {
  readonly #leftOut = new Set<AgentPartLeftOut>();

  leaveOut(part: AgentPartLeftOut, isPresent = true): void {
    if (isPresent) this.#leftOut.add(part);
  }

  profile(of: {
    avatar?: unknown;
    description?: unknown;
    tags?: unknown;
    openingMessage?: unknown;
    openingQuestions?: unknown;
  }): AgentProfile {
    const avatar = firstEmoji(readText(of.avatar).slice(0, 100));
    this.leaveOut('avatar', avatar === undefined && readText(of.avatar) !== '');
    const tags = this.#list(of.tags, MAX.tags, MAX.tag);
    const openingQuestions = this.#list(of.openingQuestions, MAX.openingQuestions, MAX.openingQuestion);
    const description = this.#short(readText(of.description), MAX.description);
    const openingMessage = this.#short(readText(of.openingMessage), MAX.openingMessage);
    return {
      ...defined({ avatar }),
      ...(description === '' ? {} : { description }),
      ...(tags.length === 0 ? {} : { tags }),
      ...(openingMessage === '' ? {} : { openingMessage }),
      ...(openingQuestions.length === 0 ? {} : { openingQuestions }),
    };
  }

  finish(title: string, profile: AgentProfile, configuration: AgentConfiguration): FileAgent {
    const name = this.#short(title, MAX.title).replace(/\s+/g, ' ');
    return { title: name, profile, configuration, leftOut: [...this.#leftOut] };
  }

  examples(pairs: readonly ConversationExample[]): Pick<AgentConfiguration, 'examples'> {
    this.leaveOut('too-long', pairs.length > MAX.examples);
    return pairs.length === 0 ? {} : { examples: pairs.slice(0, MAX.examples) };
  }

  #short(text: string, limit: number): string {
    const trimmed = text.trim();
    if (trimmed.length <= limit) return trimmed.toWellFormed();
    this.leaveOut('too-long');
    return trimmed.slice(0, limit).toWellFormed().trim();
  }

  #list(value: unknown, count: number, limit: number): string[] {
    if (!Array.isArray(value)) return [];
    const texts = value.map((each) => this.#short(readText(each), limit)).filter((text) => text !== '');
    const unique = [...new Set(texts)];
    this.leaveOut('too-long', unique.length > count);
    return unique.slice(0, count);
  }
}

/** A text of a file; empty if it is absent or of another type. */
export function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function readList(value: unknown): readonly JsonValue[] {
  return Array.isArray(value) ? (value as JsonValue[]) : [];
}

export function readObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

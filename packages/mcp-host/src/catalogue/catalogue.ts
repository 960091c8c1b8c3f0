import type { Client } from '@modelcontextprotocol/client';
import { defined } from '@toolyard/protocol';
import type { ListKind, Listing } from './list-items.ts';
import { fetchList } from './list-items.ts';
import { PROMPTS, RESOURCES, TEMPLATES, TOOLS } from './read-offer.ts';
import type { ListedTool } from './read-tool.ts';
import type { ListedPrompt, ListedResource, ListedTemplate, LogEntry, SkippedItem } from '../types.ts';

/** A list that a server announces changes of. */
export type OfferKind = 'tools' | 'resources' | 'prompts';

/** Zero-width characters, direction marks and tag characters, which can hide text. */
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

/** A model reads all of a definition; a user sees little more than the description. */
function hidesText({ name, title = '', description = '', inputSchema, outputSchema = {} }: ListedTool): boolean {
  return INVISIBLE.test(
    [name, title, description, JSON.stringify(inputSchema), JSON.stringify(outputSchema)].join(' '),
  );
}

export type CatalogueOptions = {
  client: Client;
  timeoutMs: number;
  note: (level: LogEntry['level'], text: string) => void;
  /** Called after every change. */
  onChange: () => void;
};

/** What a connected server offers, as it listed it last. */
export class OfferCatalogue {
  readonly #options: CatalogueOptions;
  readonly #skipped = new Map<string, SkippedItem[]>();
  tools: ReadonlyMap<string, ListedTool> = new Map();
  /** Undefined until listed. */
  resources: readonly ListedResource[] | undefined;
  templates: readonly ListedTemplate[] | undefined;
  prompts: readonly ListedPrompt[] | undefined;

  constructor(options: CatalogueOptions) {
    this.#options = options;
  }

  get skipped(): SkippedItem[] {
    return [...this.#skipped.values()].flat();
  }

  /** @throws what a failed request throws */
  async listTools(signal?: AbortSignal): Promise<void> {
    const tools = await this.#fetch(TOOLS, signal);
    for (const tool of tools) {
      if (!hidesText(tool)) continue;
      const text = `The description of the tool "${tool.name}" contains invisible characters, which may hide instructions from you.`;
      this.#options.note('warning', text);
    }
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** @throws what a failed request throws */
  async listPrompts(signal: AbortSignal): Promise<readonly ListedPrompt[]> {
    const prompts = await this.#fetch(PROMPTS, signal);
    this.prompts = prompts;
    return prompts;
  }

  /** Lists what connecting does not wait for; a list that fails is logged and stays empty. */
  async listTheRest(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#settle('resources', () => this.#listResources(signal)),
      this.#settle('prompts', () => this.listPrompts(signal)),
    ]);
  }

  /** Lists one kind again; if that fails the old list is kept. */
  async refresh(kind: OfferKind, signal: AbortSignal): Promise<void> {
    const list = {
      tools: () => this.listTools(signal),
      resources: () => this.#listResources(signal),
      prompts: () => this.listPrompts(signal),
    }[kind];
    try {
      await list();
      const count = { tools: this.tools.size, resources: this.resources?.length, prompts: this.prompts?.length }[kind];
      this.#options.note('info', `The server changed its ${kind}: now ${count ?? 0}.`);
      this.#options.onChange();
    } catch {
      if (signal.aborted) return;
      const word = kind === 'tools' ? 'tool' : kind === 'resources' ? 'resource' : 'prompt';
      this.#options.note('warning', `The changed ${word} list could not be read; Toolyard keeps the old one.`);
    }
  }

  async #settle(what: string, list: () => Promise<unknown>): Promise<void> {
    try {
      await list();
      this.#options.onChange();
    } catch {
      this.#options.note('warning', `The ${what} of the server could not be listed.`);
    }
  }

  async #listResources(signal: AbortSignal): Promise<void> {
    const [resources, templates] = await Promise.all([this.#fetch(RESOURCES, signal), this.#fetch(TEMPLATES, signal)]);
    this.resources = resources;
    this.templates = templates;
  }

  async #fetch<Item>(kind: ListKind<Item>, signal: AbortSignal | undefined): Promise<Item[]> {
    const { client, timeoutMs, note } = this.#options;
    const listing: Listing<Item> = await fetchList(client, kind, {
      timeoutMs,
      ...defined({ signal }),
    });
    this.#skipped.set(kind.key, listing.skipped);
    for (const warning of listing.warnings) note('warning', warning);
    const word = kind.word.replace(/^./, (first) => first.toUpperCase());
    for (const { name, reason } of listing.skipped) note('warning', `${word} "${name}" was skipped: ${reason}`);
    return listing.items;
  }
}

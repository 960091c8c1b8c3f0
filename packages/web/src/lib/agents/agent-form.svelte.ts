import type { AgentConfiguration, AgentProfile, AgentView, ChangeAgent } from '@toolyard/protocol';
import { defined, isEmoji } from '@toolyard/protocol';
import { ApiError } from '../api/error.ts';
import { agents as realAgents } from './agents.svelte.ts';
import { Attempt } from '../servers/attempt.svelte.ts';
import { toApiError } from '../state/failure.ts';
import { fetchPresetTaskResult as realFetch } from '../preset-tasks/fetch-preset-task-result.ts';
import { itemsIn } from '../ui/items-in.ts';
import { uuid } from '../transcript/uuid.ts';

/** The fields that a preset task can suggest. */
export const SUGGESTED = ['avatar', 'title', 'description', 'tags'] as const;
export type SuggestedField = (typeof SUGGESTED)[number];

type Texts = Record<SuggestedField, string>;
type Suggestion = { isLoading: boolean; error: ApiError | null; offered: string };
type Deps = {
  agents: Pick<typeof realAgents, 'get' | 'create' | 'update'>;
  fetchPresetTaskResult: typeof realFetch;
};

const IDLE: Suggestion = { isLoading: false, error: null, offered: '' };
/** Nothing is suggested automatically for instructions shorter than this. */
const ENOUGH_CHARACTERS = 3;

/** An agent being edited. It is stored by {@link save}; suggestions for empty fields are stored at once. */
export class AgentForm {
  texts: Texts = $state({ avatar: '', title: '', description: '', tags: '' });
  openingMessage = $state('');
  /** One per line. */
  openingQuestions = $state('');
  configuration: AgentConfiguration = $state.raw({});
  stored: AgentView | null = $state.raw(null);
  suggestions: Record<SuggestedField, Suggestion> = $state({
    avatar: IDLE,
    title: IDLE,
    description: IDLE,
    tags: IDLE,
  });
  readonly saving = new Attempt();
  readonly #deps: Deps;
  readonly #abort = new AbortController();
  #initial = $state('');
  /** Suggestions are stored one after another: each needs the version of the one before. */
  #storing: Promise<void> = Promise.resolve();

  constructor(agent: AgentView | null, deps: Deps = { agents: realAgents, fetchPresetTaskResult: realFetch }) {
    this.#deps = deps;
    this.show(agent);
  }

  readonly profile: AgentProfile = $derived.by(() => {
    const { avatar, description } = this.texts;
    const tags = tagsIn(this.texts.tags);
    const openingQuestions = itemsIn(this.openingQuestions).map((line) => line.slice(0, 1_000));
    return defined({
      avatar: isEmoji(avatar.trim()) ? avatar.trim() : undefined,
      description: description.trim() || undefined,
      tags: tags.length === 0 ? undefined : tags,
      openingMessage: this.openingMessage.trim() || undefined,
      openingQuestions: openingQuestions.length === 0 ? undefined : openingQuestions.slice(0, 10),
    });
  });
  readonly isDirty: boolean = $derived.by(() => this.#initial !== this.#content());
  readonly hasBadAvatar: boolean = $derived.by(() => {
    const avatar = this.texts.avatar.trim();
    return avatar !== '' && !isEmoji(avatar);
  });
  readonly hasBadTemplate: boolean = $derived.by(() => {
    const { inputTemplate } = this.configuration;
    return inputTemplate !== undefined && !/\{\{\s*text\s*\}\}/.test(inputTemplate);
  });

  /** Shows an agent as it is stored; null: a new one. */
  show(agent: AgentView | null): void {
    const { title = '', profile = {}, configuration = {} } = agent ?? {};
    this.stored = agent;
    this.texts = {
      title,
      avatar: profile.avatar ?? '',
      description: profile.description ?? '',
      tags: (profile.tags ?? []).join(', '),
    };
    this.openingMessage = profile.openingMessage ?? '';
    this.openingQuestions = (profile.openingQuestions ?? []).join('\n');
    this.configuration = configuration;
    this.saving.error = null;
    this.#initial = this.#content();
  }

  /** Returns the stored agent; null if it failed, with the reason in `saving`. Then suggests what is empty. */
  async save(options: { replaces?: boolean } = {}): Promise<AgentView | null> {
    const { stored, profile, configuration } = this;
    const title = this.texts.title.trim();
    const saved = this.#content();
    const isSaved = await this.saving.make('it', async () => {
      await this.#storing;
      const content = { title, profile, configuration };
      if (stored === null) this.stored = await this.#deps.agents.create({ id: uuid(), ...content });
      else {
        const { version } =
          options.replaces === true ? await this.#deps.agents.get(stored.id) : (this.stored ?? stored);
        this.stored = await this.#deps.agents.update(stored.id, { version, ...content });
      }
      this.#initial = saved;
    });
    if (!isSaved) return null;
    this.#suggestEmpty();
    return this.stored;
  }

  /** Suggests a field at the press of its button. A text that the user wrote stays; the suggestion is offered. */
  suggest(field: SuggestedField): Promise<void> {
    return this.#run(field, (value) => {
      if (this.texts[field].trim() === '') this.texts[field] = value;
      else if (this.texts[field].trim() !== value) this.suggestions[field] = { ...IDLE, offered: value };
    });
  }

  accept(field: SuggestedField): void {
    this.texts[field] = this.suggestions[field].offered;
    this.suggestions[field] = IDLE;
  }

  /** Stops what is loading. */
  close(): void {
    this.#abort.abort();
  }

  /** After an agent was created or edited: its empty fields. */
  #suggestEmpty(): void {
    if ((this.configuration.instructions ?? '').trim().length < ENOUGH_CHARACTERS) return;
    for (const field of SUGGESTED) {
      if (this.texts[field].trim() !== '') continue;
      void this.#run(field, (value) => {
        // The user wrote something meanwhile.
        if (this.texts[field].trim() !== '') return;
        const wasDirty = this.isDirty;
        this.texts[field] = value;
        if (!wasDirty) this.#initial = this.#content();
        this.#storing = this.#storing.then(() => this.#store(field));
      });
    }
  }

  /** The texts of the form are the input of the task. */
  async #run(field: SuggestedField, finish: (value: string) => void): Promise<void> {
    if (this.suggestions[field].isLoading) return;
    const { title, description } = this.texts;
    const agent = { title, description, instructions: this.configuration.instructions ?? '' };
    const show = (change: Partial<Suggestion>): void => {
      this.suggestions[field] = { ...this.suggestions[field], ...change };
    };
    await this.#deps.fetchPresetTaskResult({
      params: { task: `agent-${field}`, agent },
      signal: this.#abort.signal,
      onLoadingChange: (isLoading) => show({ isLoading, ...(isLoading ? { error: null, offered: '' } : {}) }),
      onFinish: (value) => finish(Array.isArray(value) ? value.join(', ') : (value ?? '')),
      onError: (error) => show({ error }),
    });
  }

  /** Stores a suggested field only: other changes are stored when the user saves them. */
  async #store(field: SuggestedField): Promise<void> {
    const { stored } = this;
    if (stored === null || this.#abort.signal.aborted) return;
    const { title, avatar, description, tags } = { ...this.texts, tags: tagsIn(this.texts.tags) };
    const parts = { avatar: { avatar }, description: { description }, tags: { tags } };
    const change: Omit<ChangeAgent, 'version'> =
      field === 'title' ? { title } : { profile: { ...stored.profile, ...parts[field] } };
    try {
      this.stored = await this.#deps.agents.update(stored.id, { version: stored.version, ...change });
    } catch (thrown) {
      const error = thrown instanceof ApiError ? thrown : toApiError(thrown);
      this.suggestions[field] = { ...this.suggestions[field], error };
    }
  }

  #content(): string {
    const { texts, openingMessage, openingQuestions, configuration } = this;
    return JSON.stringify([texts, openingMessage, openingQuestions, configuration]);
  }
}

export function tagsIn(text: string): string[] {
  const tags = itemsIn(text, /[,，、]/).map((tag) => tag.slice(0, 60));
  return [...new Set(tags)].slice(0, 20);
}

import type { JsonValue } from './json.ts';
import type { AgentConfiguration } from './schemas/configuration.ts';

export type Page<T> = { items: T[]; next?: string };
/** `defaults` is the undermost layer of every configuration; other keys are the page's own. */
export type SettingsView = { defaults: AgentConfiguration } & Record<string, JsonValue | AgentConfiguration>;

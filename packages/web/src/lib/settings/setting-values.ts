import type { AgentConfiguration, Setting, SettingPath } from '@toolyard/protocol';
import { isJsonObject, SETTINGS } from '@toolyard/protocol';
import type { ConfigurationChange as Layer } from '../chat/state/configuration-change.ts';
import type { FormPath } from './setting-translations.ts';

export function valueAt(layer: Layer, path: SettingPath): unknown {
  return path.split('.').reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), layer);
}

/** The layer with another value at the path. Undefined removes the value. */
export function withValue(layer: Layer, path: SettingPath, value: unknown): Layer {
  const [field = path, name] = path.split('.');
  if (name === undefined) return { ...layer, [field]: value };
  const section: unknown = layer[field as keyof Layer];
  const { [name]: _, ...rest } = isJsonObject(section) ? section : {};
  return { ...layer, [field]: value === undefined ? rest : { ...rest, [name]: value } };
}

/** The settings of the form, in its order. */
export function formSettings(): [path: FormPath, setting: Setting][] {
  const settings: [string, Setting][] = Object.entries(SETTINGS);
  return settings.filter(([, { form }]) => form !== undefined) as [FormPath, Setting][];
}

/** The parts of the form; a page may show only some of them. */
export const FORM_PARTS = ['instructions', 'parameters', 'limits', 'mode', 'budgets'] as const;
export type FormPart = (typeof FORM_PARTS)[number];

/** The approval mode is in the group of the limits, and a part of its own. */
export function findPart([path, { form }]: [path: FormPath, setting: Setting]): FormPart | undefined {
  return path === 'intervention' ? 'mode' : form?.group;
}

/**
 * What these parts of the form edit of a configuration, with every field, so that a removed value is sent as undefined.
 */
export function editedPart(configuration: AgentConfiguration, parts: readonly FormPart[] = FORM_PARTS): Layer {
  const shown = formSettings().filter((setting) => parts.includes(findPart(setting) ?? 'limits'));
  const fields = new Set(shown.map(([path]) => path.split('.')[0] ?? path));
  if (parts.includes('budgets')) fields.add('budgets');
  const values: Record<string, unknown> = configuration;
  return Object.fromEntries([...fields].map((field) => [field, values[field]] as const));
}

/** The number of overrides of this layer, for the badge of the button. It does not count the approval mode. */
export function countOverrides(configuration: AgentConfiguration): number {
  const overridden = formSettings().filter(([path]) => {
    const value = valueAt(configuration, path);
    return path !== 'intervention' && value !== undefined && value !== '';
  });
  return overridden.length + (configuration.budgets?.length ?? 0);
}

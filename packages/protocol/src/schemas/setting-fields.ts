import { z } from 'zod';
import type { ResolvedSettings, Setting, SettingSection, SettingValues } from '../settings.ts';
import { settingsIn } from '../settings.ts';
import { jsonObject, modelFields } from './common.ts';

type OptionalKey<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];
type Fields<T> = {
  [K in keyof T]-?: K extends OptionalKey<T>
    ? z.ZodExactOptional<z.ZodType<Exclude<T[K], undefined>>>
    : z.ZodType<T[K]>;
};

/** The fields of a section as a layer of the configuration may have them, for `z.strictObject`. */
export function settingFields<Section extends SettingSection>(section: Section): Fields<SettingValues<Section>> {
  const fields = settingsIn(section).map(([name, setting]) => [name, toSchema(setting).exactOptional()]);
  // The type and the entries are derived from the same table.
  return Object.fromEntries(fields) as Fields<SettingValues<Section>>;
}

/** The fields of a section of a merged configuration. Ranges are not checked again: another version may have stored it. */
export function resolvedFields<Section extends SettingSection>(section: Section): Fields<ResolvedSettings<Section>> {
  const fields = settingsIn(section).map(([name, setting]) => {
    const schema = setting.kind === 'number' ? (setting.whole === true ? z.int() : z.number()) : toSchema(setting);
    return [name, 'default' in setting ? schema : schema.exactOptional()];
  });
  return Object.fromEntries(fields) as Fields<ResolvedSettings<Section>>;
}

function toSchema(setting: Setting): z.ZodType {
  switch (setting.kind) {
    case 'number':
      return numberSchema(setting);
    case 'enum':
      return z.enum(setting.options);
    case 'boolean':
      return z.boolean();
    case 'text':
      return z.string();
    case 'list':
      return z.array(z.string());
    case 'json':
      return jsonObject;
    case 'model':
      return z.union([z.literal('off'), z.strictObject(modelFields)]);
  }
}

function numberSchema({ whole, min, max, unit }: Extract<Setting, { kind: 'number' }>): z.ZodType {
  let schema: z.ZodNumber = whole === true ? z.int() : z.number();
  if (min !== undefined) schema = schema.min(min);
  if (max !== undefined) schema = schema.max(max);
  return unit === undefined ? schema : schema.describe(`In ${unit}`);
}

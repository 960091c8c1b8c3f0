import type { ProviderRecord as KnownProvider } from '@toolyard/model-runtime';
import { loadProviders, loadUnsupportedProviders } from '@toolyard/model-runtime';
import type { ErrorCode, ProviderPresetView } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';

export type { KnownProvider };

/** The provider known by this id. @throws ToolyardError where there is none */
export async function requirePreset(id: string, told: { code: ErrorCode; where?: string }): Promise<KnownProvider> {
  const record = await findPreset(id);
  if (record !== undefined) return record;
  const unreached = (await loadUnsupportedProviders()).find((one) => one.id === id);
  throw new ToolyardError({
    code: told.code,
    message:
      unreached === undefined
        ? `${told.where ?? ''}No provider is known as "${id}".`
        : `${told.where ?? ''}The provider "${id}" cannot be reached. ${unreached.why}`,
    hint: '"toolyard providers --known" lists them. Any other is entered by its address and the API it speaks.',
  });
}

/** Why no model of this provider answers: it is none of those that are `there`. */
export async function explainMissingProvider(id: string, there: readonly string[]): Promise<ToolyardError> {
  const code = 'model_not_found';
  const others = `There are: ${there.join(', ')}.`;
  const known = await findPreset(id);
  if (known !== undefined) {
    const [variable] = known.keyVariables;
    return new ToolyardError({
      code,
      message: `The provider "${id}" (${known.label}) is known, but not set up here.`,
      hint: `${variable === undefined ? 'Add' : `Set ${variable} where Toolyard is started, or add`} it in the settings or in config.json. ${others}`,
    });
  }
  const unreached = (await loadUnsupportedProviders()).find((one) => one.id === id);
  return new ToolyardError({
    code,
    message:
      unreached === undefined
        ? `There is no model provider "${id}".`
        : `The provider "${id}" cannot be reached. ${unreached.why}`,
    hint: `${others} Choose a model of one of them, or add a provider in the settings.`,
  });
}

/** The provider known by this id, if there is one. */
export async function findPreset(id: string | undefined): Promise<KnownProvider | undefined> {
  return id === undefined ? undefined : (await loadProviders()).find((record) => record.id === id);
}

/** Every known provider, by name. */
export async function providerPresetViews(): Promise<ProviderPresetView[]> {
  return (await loadProviders()).map((record) => {
    const { id, label, place, wire, baseUrl, keyVariables, keyPage, note, source, proof, models } = record;
    return {
      id,
      label,
      place,
      wire,
      baseUrl,
      keyVariables: [...keyVariables],
      apiKeyUrl: keyPage,
      requiresModelNames: models !== undefined && 'named' in models && models.named.length === 0,
      ...defined({ note }),
      source,
      proof,
    };
  });
}

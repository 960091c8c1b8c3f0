import type { ProviderRecord as KnownProvider } from '@toolyard/model-runtime';
import { loadProviders, loadUnsupportedProviders } from '@toolyard/model-runtime';
import type { ErrorCode, ProviderPresetView } from '@toolyard/protocol';
import { defined, ToolyardError, say } from '@toolyard/protocol';

export type { KnownProvider };

/** The preset with this id. @throws ToolyardError if it does not exist */
export async function requirePreset(id: string, options: { code: ErrorCode; where?: string }): Promise<KnownProvider> {
  const record = await findPreset(id);
  if (record !== undefined) return record;
  const unreached = (await loadUnsupportedProviders()).find((one) => one.id === id);
  throw new ToolyardError({
    code: options.code,
    message:
      unreached === undefined
        ? `${options.where ?? ''}There is no known provider "${id}".`
        : `${options.where ?? ''}The provider "${id}" is not supported. ${unreached.why}`,
    hint: 'Run "toolyard providers --known" for a list. For any other provider, set its base URL and API format.',
  });
}

/** The error for a model of a provider that is not among the available ones. */
export async function explainMissingProvider(id: string, there: readonly string[]): Promise<ToolyardError> {
  const code = 'model_not_found';
  const others = `Available: ${there.join(', ')}.`;
  const known = await findPreset(id);
  if (known !== undefined) {
    const [variable] = known.keyVariables;
    return new ToolyardError({
      code,
      message: say`The provider "${id}" (${known.label}) is not configured.`,
      hint:
        `${variable === undefined ? 'Add' : `Set ${variable} in the environment of the server, or add`} it ` +
        `in the settings or in config.json. ${others}`,
    });
  }
  const unreached = (await loadUnsupportedProviders()).find((one) => one.id === id);
  return new ToolyardError({
    code,
    message:
      unreached === undefined
        ? say`There is no model provider "${id}".`
        : `The provider "${id}" is not supported. ${unreached.why}`,
    hint: say`Available: ${there.join(', ')}. Choose a model of one of them, or add a provider in the settings.`,
  });
}

/** The preset with this id, if there is one. */
export async function findPreset(id: string | undefined): Promise<KnownProvider | undefined> {
  return id === undefined ? undefined : (await loadProviders()).find((record) => record.id === id);
}

/** All presets by name. */
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

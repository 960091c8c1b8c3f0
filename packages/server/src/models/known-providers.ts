import type { ProviderRecord as KnownProvider } from '@toolyard/model-runtime';
import { loadProviders, loadUnreachedProviders } from '@toolyard/model-runtime';
import type { ErrorCode, KnownProviderView } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';

export type { KnownProvider };

/** The provider known by this id. @throws ToolyardError where there is none */
export async function knownProvider(id: string, told: { code: ErrorCode; where?: string }): Promise<KnownProvider> {
  const record = await findKnownProvider(id);
  if (record !== undefined) return record;
  const unreached = (await loadUnreachedProviders()).find((one) => one.id === id);
  throw new ToolyardError({
    code: told.code,
    message:
      unreached === undefined
        ? `${told.where ?? ''}No provider is known as "${id}".`
        : `${told.where ?? ''}The provider "${id}" cannot be reached. ${unreached.why}`,
    hint: '"toolyard providers --known" lists them. Any other is entered by its address and the API it speaks.',
  });
}

/** The provider known by this id, if there is one. */
export async function findKnownProvider(id: string | undefined): Promise<KnownProvider | undefined> {
  return id === undefined ? undefined : (await loadProviders()).find((record) => record.id === id);
}

/** Every known provider, by name. */
export async function knownProviderViews(): Promise<KnownProviderView[]> {
  return (await loadProviders()).map((record) => {
    const { id, label, place, wire, baseUrl, keyVariables, keyPage, note, source, proof, models } = record;
    return {
      id,
      label,
      place,
      wire,
      baseUrl,
      keyVariables: [...keyVariables],
      keyPage,
      wantsModelNames: models !== undefined && 'named' in models && models.named.length === 0,
      ...(note === undefined ? {} : { note }),
      source,
      proof,
    };
  });
}

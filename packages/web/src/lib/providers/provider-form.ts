import type { ChangeProvider, CreateProvider, ProviderView, TestProvider } from '@toolyard/protocol';

/** What stands in the form. Of a key there is only what was typed now: a stored one never comes back. */
export type ProviderFields = { label: string; baseUrl: string; apiKey: string; removeKey: boolean };

export type FieldProblems = { label?: 'missing'; baseUrl?: 'address' };

export function fieldsOf(provider: ProviderView | null): ProviderFields {
  return { label: provider?.label ?? '', baseUrl: provider?.baseUrl ?? '', apiKey: '', removeKey: false };
}

export function problemsOf(fields: ProviderFields): FieldProblems {
  return {
    ...(fields.label.trim() === '' ? { label: 'missing' as const } : {}),
    ...(originOf(fields.baseUrl) === null ? { baseUrl: 'address' as const } : {}),
  };
}

/** True where a key is stored but for another host: it is not sent to this address. */
export function needsKeyAgain(provider: ProviderView | null, fields: ProviderFields): boolean {
  if (provider?.hasKey !== true || provider.baseUrl === null || fields.removeKey || fields.apiKey !== '') return false;
  const origin = originOf(fields.baseUrl);
  return origin !== null && origin !== originOf(provider.baseUrl);
}

export function toCreate(fields: ProviderFields): CreateProvider {
  const apiKey = fields.apiKey.trim();
  return { label: fields.label.trim(), baseUrl: fields.baseUrl.trim(), ...(apiKey === '' ? {} : { apiKey }) };
}

export function toChange(fields: ProviderFields): ChangeProvider {
  const { apiKey, ...rest } = toCreate(fields);
  if (apiKey !== undefined) return { ...rest, apiKey };
  return fields.removeKey ? { ...rest, apiKey: null } : rest;
}

/** Without a key of its own a test uses the stored one, unless that is to go. */
export function toTest(provider: ProviderView | null, fields: ProviderFields): TestProvider {
  const { baseUrl, apiKey } = toCreate(fields);
  if (apiKey !== undefined) return { baseUrl, apiKey };
  const usesStored = provider !== null && provider.hasKey && !fields.removeKey && !needsKeyAgain(provider, fields);
  return usesStored ? { id: provider.id, baseUrl } : { baseUrl };
}

function originOf(address: string): string | null {
  if (!URL.canParse(address.trim())) return null;
  const url = new URL(address.trim());
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.origin : null;
}

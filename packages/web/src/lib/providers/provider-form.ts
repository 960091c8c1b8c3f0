import type {
  ChangeProvider,
  CreateProvider,
  KnownProviderView,
  ProviderView,
  TestProvider,
  WireName,
} from '@toolyard/protocol';

/** What stands in the form. Of a key there is only what was typed now: a stored one never comes back. */
export type ProviderFields = {
  /** The id of the known provider it is; empty where it is none. */
  known: string;
  label: string;
  baseUrl: string;
  wire: WireName;
  apiKey: string;
  removeKey: boolean;
  /** One a line. */
  modelNames: string;
};

/** `gap`: what is still to be filled in, such as `{ACCOUNT}`. */
export type FieldProblems = { label?: 'missing'; baseUrl?: 'address' | { gap: string } };

export function fieldsOf(provider: ProviderView | null): ProviderFields {
  return {
    known: provider?.known ?? '',
    label: provider?.label ?? '',
    baseUrl: provider?.baseUrl ?? '',
    wire: provider?.wire ?? 'openai-chat',
    apiKey: '',
    removeKey: false,
    modelNames: (provider?.modelNames ?? []).join('\n'),
  };
}

/** Fills in what is known of a provider; a name somebody gave it stays. Undefined: it is none of those. */
export function filledFrom(
  chosen: KnownProviderView | undefined,
  before: KnownProviderView | undefined,
  fields: ProviderFields,
): ProviderFields {
  const isOwnName = fields.label.trim() !== '' && fields.label !== before?.label;
  const isOwnAddress = fields.baseUrl.trim() !== '' && fields.baseUrl !== before?.baseUrl;
  if (chosen === undefined) {
    return { ...fields, known: '', label: isOwnName ? fields.label : '', baseUrl: isOwnAddress ? fields.baseUrl : '' };
  }
  const { id, label, baseUrl, wire } = chosen;
  return { ...fields, known: id, label: isOwnName ? fields.label : label, baseUrl, wire };
}

export function problemsOf(fields: ProviderFields): FieldProblems {
  const gap = /\{[A-Z0-9_]+\}/.exec(fields.baseUrl)?.[0];
  const isAddress = originOf(fields.baseUrl) !== null;
  return {
    ...(fields.label.trim() === '' ? { label: 'missing' as const } : {}),
    ...(gap !== undefined ? { baseUrl: { gap } } : isAddress ? {} : { baseUrl: 'address' as const }),
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
  const modelNames = namesIn(fields.modelNames);
  return {
    label: fields.label.trim(),
    baseUrl: fields.baseUrl.trim(),
    wire: fields.wire,
    ...(fields.known === '' ? {} : { known: fields.known }),
    ...(modelNames.length === 0 ? {} : { modelNames }),
    ...(apiKey === '' ? {} : { apiKey }),
  };
}

export function toChange(fields: ProviderFields): ChangeProvider {
  const { apiKey, known = null, modelNames = [], ...rest } = toCreate(fields);
  const change = { ...rest, known, modelNames };
  if (apiKey !== undefined) return { ...change, apiKey };
  return fields.removeKey ? { ...change, apiKey: null } : change;
}

/** Without a key of its own a test uses the stored one, unless that is to go. */
export function toTest(provider: ProviderView | null, fields: ProviderFields): TestProvider {
  const { label: _label, modelNames = [], ...given } = toCreate(fields);
  const test = { ...given, modelNames };
  if (test.apiKey !== undefined) return test;
  const usesStored = provider !== null && provider.hasKey && !fields.removeKey && !needsKeyAgain(provider, fields);
  return usesStored ? { ...test, id: provider.id } : test;
}

function namesIn(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function originOf(address: string): string | null {
  if (!URL.canParse(address.trim())) return null;
  const url = new URL(address.trim());
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.origin : null;
}

import type { CommonFacts, ProviderData, ProviderRecord, UnsupportedProvider } from './types.ts';

let loading: Promise<readonly ProviderRecord[]> | undefined;

/**
 * All known providers. The records are loaded on first use.
 *
 * @example
 * const labels = (await loadProviders()).map(({ label }) => label);
 */
export function loadProviders(): Promise<readonly ProviderRecord[]> {
  loading ??= load();
  return loading;
}

async function load(): Promise<readonly ProviderRecord[]> {
  const [{ MAKERS }, { MAKERS_IN_CHINA }, { HOSTS }, { GATEWAYS }, { CLOUDS }, { OWN_SERVERS }] = await Promise.all([
    import('./data/makers.ts'),
    import('./data/makers-in-china.ts'),
    import('./data/hosts.ts'),
    import('./data/gateways.ts'),
    import('./data/clouds.ts'),
    import('./data/own-servers.ts'),
  ]);
  const all = [...MAKERS, ...MAKERS_IN_CHINA, ...HOSTS, ...GATEWAYS, ...CLOUDS, ...OWN_SERVERS];
  return all.map(withCommonFacts).sort((a, b) => a.label.localeCompare(b.label, 'en'));
}

function withCommonFacts(data: ProviderData): ProviderRecord {
  const common: CommonFacts = {
    place: 'hosted',
    keyVariables: [`${data.id.toUpperCase()}_API_KEY`],
    keyPage: null,
    proof: 'documented',
  };
  return { ...common, wire: 'openai-chat', ...data };
}

/**
 * The unsupported providers, each with the reason.
 *
 * @example
 * const unsupported = await loadUnsupportedProviders();
 */
export async function loadUnsupportedProviders(): Promise<readonly UnsupportedProvider[]> {
  return (await import('./data/unsupported.ts')).UNSUPPORTED_PROVIDERS;
}

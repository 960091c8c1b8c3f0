import { fillAddress, loadProviders } from '@toolyard/model-runtime';
import { checkBaseUrl } from '../config/base-url.ts';
import type { KnownProvider } from './known-providers.ts';
import type { ProviderRecord } from './provider-record.ts';
import { isSameOrigin, providerIdFrom } from './provider-record.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The providers whose usual variables are set, OpenAI's first: each itself, or one named after the host where its
 * address is set to another place. Programs of one's own are not looked for: a key does not say that they run.
 *
 * @throws ToolyardError `bad_config` for an address that is none
 */
export async function environmentProviders(env: Environment): Promise<ProviderRecord[]> {
  const hosted = (await loadProviders()).filter(({ place }) => place === 'hosted');
  const [first, rest] = [hosted.filter(({ id }) => id === 'openai'), hosted.filter(({ id }) => id !== 'openai')];
  const taken = new Set(['demo']);
  return [...first, ...rest].flatMap((known) => {
    const found = providerIn(env, known, taken);
    if (found === null) return [];
    taken.add(found.id);
    return [found];
  });
}

function providerIn(env: Environment, known: KnownProvider, taken: ReadonlySet<string>): ProviderRecord | null {
  const { baseUrlVariable } = known;
  const keyVariable = known.keyVariables.find((name) => nonEmpty(env[name]) !== undefined);
  const elsewhere = baseUrlVariable === undefined ? undefined : nonEmpty(env[baseUrlVariable]);
  if (keyVariable === undefined && elsewhere === undefined) return null;
  const home = fillAddress(known.baseUrl, env);
  const address = elsewhere ?? home;
  if (address === null) return null;

  const baseUrl = checkBaseUrl(address, { code: 'bad_config', where: `${baseUrlVariable ?? keyVariable ?? ''}: ` });
  const isHome = home !== null && isSameOrigin(home, baseUrl);
  const { host } = new URL(baseUrl);
  const apiKey = keyVariable === undefined ? undefined : nonEmpty(env[keyVariable]);
  return {
    id: isHome ? known.id : providerIdFrom(host, taken),
    label: isHome ? known.label : host,
    origin: 'environment',
    baseUrl,
    // Of the servers that are put in OpenAI's place hardly any knows its newer API.
    wire: isHome || known.wire !== 'openai-responses' ? known.wire : 'openai-chat',
    ...(isHome ? { known } : {}),
    ...(apiKey === undefined ? {} : { apiKey }),
    variables: [elsewhere === undefined ? undefined : baseUrlVariable, keyVariable].filter(
      (name) => name !== undefined,
    ),
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}

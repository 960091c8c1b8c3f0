import { providersInEnvironment } from '@toolyard/model-runtime';
import { defined } from '@toolyard/protocol';
import { checkBaseUrl } from '../config/base-url.ts';
import type { ConfiguredProvider } from './provider-record.ts';
import { providerIdFrom } from './provider-record.ts';

/**
 * The providers whose usual variables are set, OpenAI's first: each itself, or one named after the host where its
 * address is set to another place.
 *
 * @throws ToolyardError `bad_config` for an address that is none
 */
export async function environmentProviders(
  env: Readonly<Record<string, string | undefined>>,
): Promise<ConfiguredProvider[]> {
  const taken = new Set(['demo']);
  const found = await providersInEnvironment(env);
  return found.map(({ known, isElsewhere, variables, apiKey, baseUrl: address }) => {
    const baseUrl = checkBaseUrl(address, { code: 'bad_config', where: `${variables[0] ?? ''}: ` });
    const { host } = new URL(baseUrl);
    const id = isElsewhere ? providerIdFrom(host, taken) : known.id;
    taken.add(id);
    return {
      id,
      label: isElsewhere ? host : known.label,
      origin: 'environment' as const,
      baseUrl,
      // Of the servers that are put in OpenAI's place hardly any knows its newer API.
      wire: isElsewhere && known.wire === 'openai-responses' ? 'openai-chat' : known.wire,
      ...(isElsewhere ? {} : { known }),
      ...defined({ apiKey }),
      variables,
    };
  });
}

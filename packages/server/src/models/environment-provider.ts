import { providersInEnvironment } from '@toolyard/model-runtime';
import { defined } from '@toolyard/protocol';
import { checkBaseUrl } from '../config/base-url.ts';
import type { ConfiguredProvider } from './provider-record.ts';
import { providerIdFrom } from './provider-record.ts';

/**
 * The providers whose usual variables are set, OpenAI's first: the known provider itself, or one named after the host
 * if its base URL is set to another one.
 *
 * @throws ToolyardError `bad_config` for an invalid base URL
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
      // Hardly any OpenAI-compatible server supports the Responses API.
      wire: isElsewhere && known.wire === 'openai-responses' ? 'openai-chat' : known.wire,
      ...(isElsewhere ? {} : { known }),
      ...defined({ apiKey }),
      variables,
    };
  });
}

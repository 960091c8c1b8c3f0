import { placeholdersIn } from '@toolyard/model-runtime';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { FileProvider } from '../config/config-file.ts';
import { requirePreset } from './provider-presets.ts';
import type { ConfiguredProvider } from './provider-record.ts';

/** The providers of the configuration file, with what is known of those it names. @throws ToolyardError `bad_config` */
export async function fileProviderRecords(providers: readonly FileProvider[]): Promise<ConfiguredProvider[]> {
  return Promise.all(
    providers.map(async ({ place, known: knownId, ...given }) => {
      const where = { code: 'bad_config', where: `${place}: ` } as const;
      const known = knownId === undefined ? undefined : await requirePreset(knownId, where);
      const baseUrl = given.baseUrl ?? known?.baseUrl;
      if (baseUrl === undefined || placeholdersIn(baseUrl).length > 0) {
        throw new ToolyardError({
          code: 'bad_config',
          message: `${place}: the address of "${given.id}" holds something of your own: ${baseUrl ?? ''}`,
          hint: 'Give it as "baseUrl", with that filled in.',
        });
      }
      return {
        ...given,
        label: given.label ?? known?.label ?? given.id,
        origin: 'file' as const,
        baseUrl,
        wire: given.wire ?? known?.wire ?? 'openai-chat',
        ...defined({ known }),
      };
    }),
  );
}

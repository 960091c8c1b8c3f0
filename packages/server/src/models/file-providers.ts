import { placeholdersIn } from '@toolyard/model-runtime';
import { defined } from '@toolyard/protocol';
import { createConfigError } from '../errors.ts';
import type { FileProvider } from '../config/config-file.ts';
import { requirePreset } from './provider-presets.ts';
import type { ConfiguredProvider } from './provider-record.ts';

/** The providers of the configuration file, merged with their presets. @throws ToolyardError `bad_config` */
export async function fileProviderRecords(providers: readonly FileProvider[]): Promise<ConfiguredProvider[]> {
  return Promise.all(
    providers.map(async ({ place, known: knownId, ...fields }) => {
      const where = { code: 'bad_config', where: `${place}: ` } as const;
      const known = knownId === undefined ? undefined : await requirePreset(knownId, where);
      const baseUrl = fields.baseUrl ?? known?.baseUrl;
      if (baseUrl === undefined || placeholdersIn(baseUrl).length > 0) {
        throw createConfigError(
          `${place}: the base URL of "${fields.id}" contains a placeholder: ${baseUrl ?? ''}`,
          'Set "baseUrl" with the placeholder replaced.',
        );
      }
      return {
        ...fields,
        label: fields.label ?? known?.label ?? fields.id,
        origin: 'file' as const,
        baseUrl,
        wire: fields.wire ?? known?.wire ?? 'openai-chat',
        ...defined({ known }),
      };
    }),
  );
}

import { defined } from '@toolyard/protocol';
import type { MachineModels } from '@toolyard/server/machine-models';
import type { CommandIo } from '../command-io.ts';
import { dataDirFrom } from '../server/data-dir.ts';

export type SourceFlags = {
  /** True without a URL: the server of the data folder. */
  server?: string | true;
  token?: string;
  dataDir?: string;
};

/** Where a command gets models from: a running server, or the settings of this machine. */
export type ModelSource = MachineModels;

/** @throws ToolyardError if the server is not running, or the settings are invalid */
export async function modelSource(io: CommandIo, flags: SourceFlags): Promise<ModelSource> {
  const { env } = io;
  const { server, token, dataDir } = flags;
  if (server === undefined) {
    const { readMachineModels } = await import('@toolyard/server/machine-models');
    return readMachineModels({ dataDir: dataDirFrom(dataDir ?? env['TOOLYARD_DATA_DIR'], io), env });
  }
  const { openClient } = await import('../server/on-server.ts');
  const named = {
    ...(server === true ? {} : { server }),
    ...defined({ token, dataDir }),
  };
  const client = await openClient(io, named);
  return {
    models: () => client.get('/api/models'),
    providers: async () => (await client.get('/api/providers')).items,
    known: async () => (await client.get('/api/providers/presets')).items,
    async open({ providerId }) {
      const { createWebApiRuntime } = await import('@toolyard/model-runtime/webapi');
      return createWebApiRuntime({ provider: providerId, baseUrl: client.url, fetch: client.fetch });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

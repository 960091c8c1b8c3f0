/**
 * The models of this machine without a running server: from the environment, `config.json`, the usual ports, and the
 * demo. Providers that users added to a running server are not included.
 * @module
 */
import { join } from 'node:path';
import { createUuidSource } from '@toolyard/agent-host';
import type { ModelRuntime } from '@toolyard/model-runtime';
import type { ProviderPresetView, ModelReference, ModelsView, ProviderView } from '@toolyard/protocol';
import { defined, systemClock } from '@toolyard/protocol';
import { readConfigFile } from './config/config-file.ts';
import { createModels } from './models/models.ts';

export type MachineModels = AsyncDisposable & {
  models(): Promise<ModelsView>;
  providers(): Promise<ProviderView[]>;
  known(): Promise<ProviderPresetView[]>;
  /** @throws ToolyardError if there is no such provider */
  open(model: ModelReference): Promise<ModelRuntime>;
};

const LOCAL_OWNER = { ownerId: 'nobody' };

/** @throws ToolyardError `bad_config` with the place, if `config.json` or the environment is invalid */
export async function readMachineModels(options: {
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Loopback ports to look for model servers on; default: the usual ones. */
  localPorts?: readonly number[];
}): Promise<MachineModels> {
  const { dataDir, env, localPorts } = options;
  const file = readConfigFile(join(dataDir, 'config.json'), env);
  const models = await createModels({
    env,
    fileProviders: file.providers,
    fileDefaults: file.defaults,
    statedModels: file.models,
    settings: { get: () => Promise.resolve(undefined), set: unchanging },
    secrets: { get: () => Promise.resolve(null), set: unchanging, remove: unchanging },
    clock: systemClock,
    ids: createUuidSource(),
    hub: { changed: () => undefined },
    ...defined({ localPorts }),
  });
  return {
    models: () => models.list(LOCAL_OWNER),
    providers: () => models.providers(LOCAL_OWNER),
    known: () => models.known(),
    open: (model) => models.open(LOCAL_OWNER, model),
    [Symbol.asyncDispose]: () => models.close(),
  };
}

function unchanging(): Promise<never> {
  return Promise.reject(new Error('this command stores nothing'));
}

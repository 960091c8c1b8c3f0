/**
 * The models that are to be had on this machine without a server: of the environment, of `config.json`, found on the
 * usual ports, and the demo. Providers somebody entered into a running server are its own.
 * @module
 */
import { join } from 'node:path';
import { createUuidSource } from '@toolyard/agent-host';
import type { ModelRuntime } from '@toolyard/model-runtime';
import type { ProviderPresetView, ModelReference, ModelsView, ProviderView } from '@toolyard/protocol';
import { defined, systemClock } from '@toolyard/protocol';
import { readConfigFile } from './config/config-file.ts';
import { createModels } from './models/models.ts';

export type MachineModels = {
  list(): Promise<ModelsView>;
  providers(): Promise<ProviderView[]>;
  known(): Promise<ProviderPresetView[]>;
  /** @throws ToolyardError where there is no such provider */
  open(model: ModelReference): Promise<ModelRuntime>;
  /** Ends every connection. */
  close(): Promise<void>;
};

const NOBODY = { ownerId: 'nobody' };

/** @throws ToolyardError `bad_config` where `config.json` or the environment is wrong, saying where */
export async function readMachineModels(options: {
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Loopback ports to look for model servers on; default the usual ones. */
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
    list: () => models.list(NOBODY),
    providers: () => models.providers(NOBODY),
    known: () => models.known(),
    open: (model) => models.open(NOBODY, model),
    close: () => models.close(),
  };
}

function unchanging(): Promise<never> {
  return Promise.reject(new Error('nothing is stored here'));
}

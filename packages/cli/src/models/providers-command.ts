import type { ProviderPresetView, ProviderView } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { exitOnClosedPipe } from '../closed-pipe.ts';
import { printJson, printTable } from '../output.ts';
import { modelSource, type SourceFlags } from './model-source.ts';

const ORIGIN_NAMES: Record<ProviderView['origin'], string> = {
  'built-in': 'built in',
  environment: 'environment',
  file: 'config.json',
  found: 'detected',
  settings: 'settings',
};

/** `toolyard providers`: the configured providers, or with `--known` the presets. */
export async function providersCommand(
  io: CommandIo,
  flags: SourceFlags & { known?: boolean; json?: boolean },
): Promise<void> {
  exitOnClosedPipe(io);
  await using source = await modelSource(io, flags);
  const providers = flags.known === true ? await source.known() : await source.providers();
  if (flags.json) return printJson(io, providers);
  const rows = providers.map((provider) => ('origin' in provider ? toRow(provider) : toPresetRow(provider)));
  printTable(io, rows);
}

function toRow({ id, label, wire, baseUrl, hasKey, origin, overrides = [] }: ProviderView): string[] {
  const overridden =
    overrides.length === 0 ? '' : ` (overrides ${overrides.map((place) => ORIGIN_NAMES[place]).join(', ')})`;
  return [id, label, wire ?? '', hasKey ? 'key' : 'no key', ORIGIN_NAMES[origin] + overridden, baseUrl ?? ''];
}

function toPresetRow({ id, label, wire, keyVariables, baseUrl }: ProviderPresetView): string[] {
  return [id, label, wire, keyVariables[0] ?? '', baseUrl];
}

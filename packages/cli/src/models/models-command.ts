import type { Price } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';
import { exitOnClosedPipe } from '../closed-pipe.ts';
import { plainLine } from '../sanitize.ts';
import { printJson, printTable } from '../output.ts';
import { modelSource, type SourceFlags } from './model-source.ts';

/** `toolyard models`. Returns 1 if a provider failed to list its models. */
export async function modelsCommand(
  io: CommandIo,
  flags: SourceFlags & { provider?: string; json?: boolean },
): Promise<number> {
  exitOnClosedPipe(io);
  await using source = await modelSource(io, flags);
  const { provider } = flags;
  if (provider !== undefined) checkProvider(provider, await source.providers());
  const view = await source.models();
  const isSelected = ({ providerId }: { providerId: string }): boolean =>
    provider === undefined || providerId === provider;
  const models = view.models.filter(isSelected);
  const failures = view.failures.filter(isSelected);
  const code = failures.length > 0 ? EXIT.failed : EXIT.done;
  if (flags.json) {
    printJson(io, { ...view, models, failures });
    return code;
  }
  const { defaultModel } = view;
  const rows = models.map(({ providerId, modelId, contextWindow, inputs = [], price }) => [
    modelId,
    providerId,
    contextWindow === undefined ? '' : `${contextWindow} tokens`,
    inputs.join(', '),
    price === undefined ? '' : priceText(price),
    providerId === defaultModel?.providerId && modelId === defaultModel.modelId ? 'default' : '',
  ]);
  printTable(io, rows);
  for (const { providerLabel, error } of failures) {
    io.stderr.write(`toolyard: ${plainLine(providerLabel)}: ${plainLine(error.message, 500)}\n`);
    if (error.hint !== undefined) io.stderr.write(`  ${plainLine(error.hint, 500)}\n`);
  }
  return code;
}

/** US dollars per million input and output tokens. */
function priceText({ inputPerMillion, outputPerMillion }: Price): string {
  return `$${dollars(inputPerMillion)} / $${dollars(outputPerMillion)} per million tokens`;
}

/** Never in exponential notation. */
function dollars(amount: number): string {
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 4, useGrouping: false }).format(amount);
}

function checkProvider(providerId: string, providers: readonly { id: string }[]): void {
  if (providers.some(({ id }) => id === providerId)) return;
  throw new ToolyardError({
    code: 'not_found',
    message: `Unknown provider "${providerId}".`,
    hint: `Configured: ${providers.map(({ id }) => id).join(', ')}. "toolyard providers --known" lists presets for others.`,
  });
}

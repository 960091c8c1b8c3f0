import type { Price } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';
import { exitOnClosedPipe } from '../closed-pipe.ts';
import { plainLine } from '../sanitize.ts';
import { columns } from './columns.ts';
import { modelSource, type SourceFlags } from './model-source.ts';

/** `toolyard models`: 1 where a provider could not be asked. */
export async function modelsCommand(
  io: CommandIo,
  flags: SourceFlags & { provider?: string; json?: boolean },
): Promise<number> {
  exitOnClosedPipe(io);
  await using source = await modelSource(io, flags);
  const { provider } = flags;
  if (provider !== undefined) checkProvider(provider, await source.providers());
  const view = await source.models();
  const isMeant = ({ providerId }: { providerId: string }): boolean =>
    provider === undefined || providerId === provider;
  const models = view.models.filter(isMeant);
  const failures = view.failures.filter(isMeant);
  const code = failures.length > 0 ? EXIT.failed : EXIT.done;
  if (flags.json) {
    io.stdout.write(`${JSON.stringify({ ...view, models, failures }, null, 2)}\n`);
    return code;
  }
  const { defaultModel } = view;
  const rows = models.map(({ providerId, modelId, contextWindow, inputs = [], price }) => [
    modelId,
    providerId,
    contextWindow === undefined ? '' : `${contextWindow} tokens`,
    inputs.join(', '),
    price === undefined ? '' : priceText(price),
    providerId === defaultModel?.providerId && modelId === defaultModel.modelId ? 'used unless another is chosen' : '',
  ]);
  for (const line of columns(rows)) io.stdout.write(`${line}\n`);
  for (const { providerLabel, error } of failures) {
    io.stderr.write(`toolyard: ${plainLine(providerLabel)}: ${plainLine(error.message, 500)}\n`);
    if (error.hint !== undefined) io.stderr.write(`  ${plainLine(error.hint, 500)}\n`);
  }
  return code;
}

/** US dollars for a million tokens read and written. */
function priceText({ inputPerMillion, outputPerMillion }: Price): string {
  return `$${dollars(inputPerMillion)} / $${dollars(outputPerMillion)} a million`;
}

/** Never as a power of ten, however little it is. */
function dollars(amount: number): string {
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 4, useGrouping: false }).format(amount);
}

function checkProvider(wanted: string, providers: readonly { id: string }[]): void {
  if (providers.some(({ id }) => id === wanted)) return;
  throw new ToolyardError({
    code: 'not_found',
    message: `There is no provider "${wanted}".`,
    hint: `There are: ${providers.map(({ id }) => id).join(', ')}. "toolyard providers --known" tells how to add others.`,
  });
}

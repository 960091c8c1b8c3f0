import { loadProviders, loadUnsupportedProviders } from '../../packages/model-runtime/src/providers/load.ts';
import { code, table } from './table.ts';

/** The providers that are known by id. */
export async function providersReference(): Promise<string> {
  const all = await loadProviders();
  const listRows = (place: 'hosted' | 'own'): string[][] =>
    all
      .filter((each) => each.place === place)
      .map(({ id, label, wire, baseUrl, keyVariables, proof }) => [
        code(id),
        label,
        code(wire),
        code(baseUrl),
        keyVariables.map(code).join(', '),
        proof === 'tried' ? 'tested' : '',
      ]);
  const head = ['id', 'name', 'API format', 'base URL', 'variables of the key', 'with the service'];
  const unsupported = (await loadUnsupportedProviders()).map(({ id, why }) => [code(id), why]);
  return `# Providers

Use a provider by its id: \`"known": "groq"\` in \`config.json\`, \`toolyard chat --provider groq\`, or Settings > Models on the page. Facts
are those of the provider's own documentation. Setup: [hosted models](../hosted-model.md), [local models](../local-model.md).

## Hosted

${table(head, listRows('hosted'))}

## Local

${table(head, listRows('own'))}

## Not supported

${table(['id', 'reason'], unsupported)}
`;
}

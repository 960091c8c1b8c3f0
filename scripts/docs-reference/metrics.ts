import { createMetrics } from '../../packages/server/src/metrics/metrics.ts';
import { code, table } from './table.ts';

/** All metrics with type and help text, from what `/metrics` answers. */
export async function metricsReference(): Promise<string> {
  const metrics = createMetrics('all');
  try {
    const text = await metrics.text({
      storage: { counts: () => Promise.resolve({ runs: {}, leases: 0 }) },
      servers: { editable: { list: () => Promise.resolve({ items: [] }) } },
    });
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));
    const rows = [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = '', help = '']) => [
      code(name),
      types.get(name) ?? '',
      help,
    ]);
    return `# Metrics

\`toolyard serve --metrics\` serves these at \`GET /metrics\` in the text format of Prometheus. Setup and what to alert on:
[operations](../operations.md#monitoring).

${table(['metric', 'type', 'meaning'], rows)}
`;
  } finally {
    metrics.close();
  }
}

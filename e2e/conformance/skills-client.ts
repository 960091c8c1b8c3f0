import { McpHost } from '@toolyard/mcp-host';
import { createNodeTransports } from '@toolyard/mcp-host/node';
import { systemClock } from '@toolyard/protocol';
import type { ClientScenario } from './client.ts';

/**
 * The client under test of the suite's skill scenarios: lists skills, and loads one if the scenario is about loading. It
 * does not repeat rejected requests.
 */
export async function runSkillsClient({ scenario, url }: ClientScenario, say: (line: string) => void): Promise<void> {
  await using host = new McpHost({
    servers: [{ id: 'peer', transport: { type: 'http', url } }],
    createTransport: createNodeTransports({ fetch }),
    clock: systemClock,
    clientInfo: { name: 'toolyard', version: '0.1.0' },
  });
  await host.connect('peer');
  const { skills } = await host.skills('peer');
  const loads = scenario !== 'sep-2640-client-no-prefetch';
  for (const { uri, files } of loads ? skills : []) {
    try {
      await host.readSkill('peer', uri);
      for (const file of files ?? []) await host.readSkill('peer', uri, file.uri);
    } catch (error) {
      say(`${uri}: ${String(error)}`);
    }
  }
}

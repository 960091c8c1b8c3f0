import type { AgentExport, AgentFormat, AgentView, JsonObject } from '@toolyard/protocol';
import { writeCharacterCard } from './character-card.ts';
import { writeLobeHubAgent } from './lobehub-agent.ts';

/** The agent as a file. The folder of its workspace and models of tasks belong to this server and are not exported. */
export function writeAgentFile(agent: AgentView, format: AgentFormat, exportedAt: number): AgentExport | JsonObject {
  switch (format) {
    case 'toolyard': {
      const { title, profile, configuration } = agent;
      const { workspace: _, presetTasks: __, ...exported } = configuration;
      return { format: 'toolyard-agent', version: 1, exportedAt, agent: { title, profile, configuration: exported } };
    }
    case 'lobehub':
      return writeLobeHubAgent(agent);
    case 'character-card':
      return writeCharacterCard(agent);
  }
}

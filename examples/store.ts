// A store of your own: the agent keeps its conversation and its run in a table of SQLite.
import { DatabaseSync } from 'node:sqlite';
import type { AgentStore } from '@toolyard/agent-host';
import { createAgent } from '@toolyard/agent-host/node';

const { BASE_URL = 'http://127.0.0.1:8080', API_KEY = '', MODEL = 'qwen3' } = process.env;

const database = new DatabaseSync(process.env['DATABASE'] ?? 'agents.db');
database.exec('CREATE TABLE IF NOT EXISTS agents (name TEXT PRIMARY KEY, saved TEXT NOT NULL)');
const select = database.prepare('SELECT saved FROM agents WHERE name = ?');
const replace = database.prepare('REPLACE INTO agents (name, saved) VALUES (?, ?)');

function createStore(name: string): AgentStore {
  return {
    load: () => {
      const saved = select.get(name)?.['saved'];
      return typeof saved === 'string' ? saved : null;
    },
    save: (text) => void replace.run(name, text),
  };
}

/** One question to the agent with this name, which remembers the earlier ones. */
async function ask(name: string, question: string): Promise<void> {
  const model = { baseUrl: BASE_URL, apiKey: API_KEY, id: MODEL };
  await using agent = await createAgent({ model, store: createStore(name) });
  const { text } = await agent.run(question).result;
  console.log(`${name}: ${text} (${agent.messages.length} messages)`);
}

await ask('Ada', 'My favorite color is green.');
await ask('Bob', 'What is my favorite color?');
await ask('Ada', 'What is my favorite color?');
database.close();

import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { JsonObject } from '@toolyard/protocol';
import type { RunningTask } from '@toolyard/testing';
import { TaskRegistry } from '@toolyard/testing';
import { serveTools } from '@toolyard/testing/task-server';

/**
 * An MCP server over stdio, `node task-program.ts <era> <folder>`, whose tools are tasks. `study_<era>` writes a mark
 * for each task into `<era>-begun` and `<era>-cancelled`, and completes a task once the file `<era>-finish` exists;
 * `ask_<era>` asks for a city.
 */
const [era = '', folder = ''] = process.argv.slice(2);
const desk = new TaskRegistry({ ttlMs: null });

async function study(task: RunningTask): Promise<JsonObject> {
  appendFileSync(join(folder, `${era}-begun`), '.');
  task.signal.addEventListener('abort', () => appendFileSync(join(folder, `${era}-cancelled`), '.'));
  task.say('reading');
  while (!existsSync(join(folder, `${era}-finish`))) await task.sleep(20);
  return { content: [{ type: 'text', text: `A ${era} tide turns at six.` }] };
}

async function ask(task: RunningTask): Promise<JsonObject> {
  const requestedSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const params = { mode: 'form', message: 'Which city?', requestedSchema };
  const { city } = await task.ask({ city: { method: 'elicitation/create', params } });
  return { content: [{ type: 'text', text: JSON.stringify(city) }] };
}

function make(): McpServer {
  const mcp = new McpServer({ name: 'study', version: '1.0.0' });
  serveTools(mcp, era === 'modern' ? 'modern' : 'legacy', desk, [
    { name: `study_${era}`, tasks: 'required', work: () => study },
    { name: `ask_${era}`, tasks: 'required', work: () => ask },
  ]);
  return mcp;
}

if (era === 'modern') serveStdio(make, { legacy: 'reject' });
else await make().connect(new StdioServerTransport());

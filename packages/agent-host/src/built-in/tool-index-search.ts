import type { IndexedTool } from '@toolyard/mcp-host';
import type { WordIndex, WordWeights } from './word-index.ts';
import { addWords, createWordIndex } from './word-index.ts';

const WEIGHTS = { name: 4, title: 3, server: 2, description: 1, argument: 0.6 } as const;
/** Descriptions can be long; what a tool does is at their beginning. */
const MAX_DESCRIPTION_LENGTH = 600;

const indexes = new WeakMap<readonly IndexedTool[], WordIndex>();

/** The tools that match the words of a query best, best first. The index of a list is built once. */
export function findTools(tools: readonly IndexedTool[], query: string, limit: number): IndexedTool[] {
  let index = indexes.get(tools);
  if (index === undefined) {
    index = createWordIndex(tools.map(getWeights));
    indexes.set(tools, index);
  }
  return index.find(query, limit).flatMap((position) => tools[position] ?? []);
}

function getWeights({ tool, title = '', description = '', inputSchema }: IndexedTool): WordWeights {
  const weights: WordWeights = new Map();
  addWords(weights, tool.name, WEIGHTS.name);
  addWords(weights, title, WEIGHTS.title);
  addWords(weights, tool.serverId, WEIGHTS.server);
  addWords(weights, description.slice(0, MAX_DESCRIPTION_LENGTH), WEIGHTS.description);
  const { properties } = inputSchema;
  if (typeof properties === 'object' && properties !== null) {
    addWords(weights, Object.keys(properties).join(' '), WEIGHTS.argument);
  }
  return weights;
}

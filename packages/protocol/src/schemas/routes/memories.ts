import { changeMemoryBody, deletedMemories, memory, memoryList } from '../memories.ts';
import { defineRoutes } from './define-routes.ts';

export const memoriesRoutes = defineRoutes({
  'GET /api/memories': {
    summary: 'List what models remembered for the user, newest first',
    answer: memoryList,
  },
  'PATCH /api/memories/{id}': {
    summary: 'Change the text of a memory',
    body: changeMemoryBody,
    answer: memory,
  },
  'DELETE /api/memories/{id}': { summary: 'Delete a memory' },
  'DELETE /api/memories': { summary: 'Delete all memories', answer: deletedMemories },
});

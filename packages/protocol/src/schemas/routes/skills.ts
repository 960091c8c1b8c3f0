import {
  skillDetail,
  skillFile,
  skillFileQuery,
  skillList,
  skillQuery,
  skillView,
  switchSkillBody,
} from '../skills.ts';
import { defineRoutes } from './define-routes.ts';

export const skillsRoutes = defineRoutes({
  'GET /api/skills': {
    summary: 'List skills by source, with state and digest, and the folders that are no valid skills',
    query: skillQuery,
    answer: skillList,
  },
  'GET /api/skills/{id}': { summary: 'Get a skill with its SKILL.md', query: skillQuery, answer: skillDetail },
  'GET /api/skills/{id}/file': { summary: 'Get a file of a skill', query: skillFileQuery, answer: skillFile },
  'PATCH /api/skills/{id}': {
    summary: 'Switch a skill on, pinned to the digest that was shown, or off',
    scope: 'approve',
    body: switchSkillBody,
    answer: skillView,
  },
});

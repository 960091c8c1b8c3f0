import type { Router } from '../transport/router.ts';
import type { RouteContext } from '../route-context.ts';
import { addAccessRoutes } from './access.ts';
import { addAgentRoutes } from './agents.ts';
import { addArtifactRoutes } from './artifacts.ts';
import { addBuiltInToolRoutes } from './built-in-tools.ts';
import { addConversationRoutes } from './conversations.ts';
import { addDraftRoutes } from './drafts.ts';
import { addExportRoute } from './export.ts';
import { addFileRoutes } from './files.ts';
import { addGroupRoutes } from './groups.ts';
import { addImageRoutes } from './images.ts';
import { addInterruptRoutes } from './interrupts.ts';
import { addLiveRoutes } from './live.ts';
import { addMcpRoutes } from './mcp.ts';
import { addMemoryRoutes } from './memories.ts';
import { addMessageRoutes } from './messages.ts';
import { addModelCallRoutes } from './model-calls.ts';
import { addModelRoutes } from './models.ts';
import { addOperationRoutes } from './operations.ts';
import { addPermissionRoutes } from './permissions.ts';
import { addPreflightRoute } from './preflight.ts';
import { addPresetTaskRoute } from './preset-tasks.ts';
import { addRunHistoryRoutes } from './run-history.ts';
import { addRunRoutes } from './runs.ts';
import { addScheduleRoutes } from './schedules.ts';
import { addSentRequestRoutes } from './sent-requests.ts';
import { addSessionRoutes } from './session.ts';
import { addSettingsRoutes } from './settings.ts';
import { addSkillRoutes } from './skills.ts';
import { addStartRunRoute } from './start-run.ts';
import { addTabRoutes } from './tabs.ts';
import { addTranslationRoutes } from './translations.ts';
import { addTriggerRoutes } from './triggers.ts';
import { addUnsandboxedRoutes } from './unsandboxed.ts';
import { addUsageRoutes } from './usage.ts';
import { addWebhookRoutes } from './webhook.ts';

/** Adds the handlers of one file of routes. */
type AddRoutes = (router: Router, context: RouteContext) => void;

/** All routes of the API, in the order of the OpenAPI document. */
export const ADD_ROUTES: readonly AddRoutes[] = [
  addSessionRoutes,
  addAccessRoutes,
  addConversationRoutes,
  addMessageRoutes,
  addArtifactRoutes,
  addDraftRoutes,
  addMemoryRoutes,
  addTranslationRoutes,
  addExportRoute,
  addRunRoutes,
  addStartRunRoute,
  addRunHistoryRoutes,
  addSentRequestRoutes,
  addInterruptRoutes,
  addWebhookRoutes,
  addLiveRoutes,
  addTabRoutes,
  addAgentRoutes,
  addGroupRoutes,
  addScheduleRoutes,
  addTriggerRoutes,
  addModelRoutes,
  addMcpRoutes,
  addUnsandboxedRoutes,
  addPermissionRoutes,
  addModelCallRoutes,
  addPresetTaskRoute,
  addPreflightRoute,
  addSettingsRoutes,
  addBuiltInToolRoutes,
  addSkillRoutes,
  addUsageRoutes,
  addFileRoutes,
  addImageRoutes,
  addOperationRoutes,
];

import type { Auth } from './auth/create-auth.ts';
import type { AutoConfirmation } from '../config/auto-confirmation.ts';
import type { EventStreams } from './transport/event-stream.ts';
import type { ModelCalls } from '../models/model-calls.ts';
import type { HttpAppOptions } from './types.ts';

/** What the handlers of routes use: the services, and what the HTTP application creates for them. */
export type RouteContext = HttpAppOptions & {
  auth: Auth;
  /** Whether the user confirmed that calls of unsandboxed servers run without asking. */
  auto: AutoConfirmation;
  eventStreams: EventStreams;
  /** Single calls of models. */
  calls: ModelCalls;
};

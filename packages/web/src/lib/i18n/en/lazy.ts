import type { access } from './access.ts';
import type { cards } from './cards.ts';
import type { context } from './context.ts';
import type { find } from './find.ts';
import type { inbox } from './inbox.ts';
import type { mcp } from './mcp.ts';
import type { models } from './models.ts';
import type { problems } from './problems.ts';
import type { questions } from './questions.ts';
import type { rules } from './rules.ts';
import type { runs } from './runs.ts';
import type { servers } from './servers.ts';
import type { settings } from './settings.ts';
import type { usage } from './usage.ts';

/** Texts by namespace that are loaded with the part of the page that shows them: see `i18n.need`. */
export type LazyMessages = {
  access: typeof access;
  cards: typeof cards;
  context: typeof context;
  find: typeof find;
  inbox: typeof inbox;
  mcp: typeof mcp;
  models: typeof models;
  servers: typeof servers;
  settings: typeof settings;
  problems: typeof problems;
  questions: typeof questions;
  rules: typeof rules;
  runs: typeof runs;
  usage: typeof usage;
};

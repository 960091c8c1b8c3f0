import Ban from '@lucide/svelte/icons/ban';
import Check from '@lucide/svelte/icons/check';
import CircleQuestionMark from '@lucide/svelte/icons/circle-question-mark';
import CircleStop from '@lucide/svelte/icons/circle-stop';
import Clock from '@lucide/svelte/icons/clock';
import FileWarning from '@lucide/svelte/icons/file-warning';
import LoaderCircle from '@lucide/svelte/icons/loader-circle';
import PencilLine from '@lucide/svelte/icons/pencil-line';
import ShieldQuestionMark from '@lucide/svelte/icons/shield-question-mark';
import X from '@lucide/svelte/icons/x';
import type { MessageKey } from '../../i18n/texts.ts';
import type { CallStatus } from './call-status.ts';

type StatusStyle = {
  icon: typeof Check;
  words: Extract<MessageKey, `tools.state${string}`>;
  /** Background of the icon. */
  tone: string;
  /** Text colour. */
  ink: string;
  moves?: true;
};

const QUIET = 'bg-inset text-muted';
const WARNING = 'bg-warn-soft text-warn';
const WRONG = 'bg-danger-soft text-danger';

/** Style of a status; its text also says it, since colour alone is not accessible. */
export const STATUS_STYLES: Readonly<Record<CallStatus['kind'], StatusStyle>> = {
  writing: { icon: PencilLine, words: 'tools.stateWriting', tone: QUIET, ink: 'text-muted' },
  waiting: { icon: Clock, words: 'tools.stateWaiting', tone: QUIET, ink: 'text-muted' },
  approval: { icon: ShieldQuestionMark, words: 'tools.stateApproval', tone: WARNING, ink: 'text-warn' },
  in_doubt: { icon: CircleQuestionMark, words: 'tools.stateInDoubt', tone: WARNING, ink: 'text-warn' },
  asked: { icon: CircleQuestionMark, words: 'tools.stateInDoubt', tone: WARNING, ink: 'text-warn' },
  queued: { icon: Clock, words: 'tools.stateQueued', tone: QUIET, ink: 'text-muted' },
  running: {
    icon: LoaderCircle,
    words: 'tools.stateRunning',
    tone: 'bg-accent-soft text-accent',
    ink: 'text-accent',
    moves: true,
  },
  done: { icon: Check, words: 'tools.stateDone', tone: 'bg-ok-soft text-ok', ink: 'text-muted' },
  failed: { icon: X, words: 'tools.stateFailed', tone: WRONG, ink: 'text-danger' },
  refused: { icon: Ban, words: 'tools.stateRefused', tone: QUIET, ink: 'text-muted' },
  cancelled: { icon: CircleStop, words: 'tools.stateCancelled', tone: QUIET, ink: 'text-muted' },
  unknown: { icon: CircleQuestionMark, words: 'tools.stateUnknown', tone: WARNING, ink: 'text-warn' },
  malformed: { icon: FileWarning, words: 'tools.stateMalformed', tone: WRONG, ink: 'text-danger' },
};

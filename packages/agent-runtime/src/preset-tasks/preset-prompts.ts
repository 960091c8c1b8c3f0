import type { Message, PresetTaskCall, PresetTaskResult } from '@toolyard/protocol';
import { agentDescriptionPrompt, agentTagsPrompt, agentTitlePrompt, avatarPrompt } from './agent-prompts.ts';
import { completeInputPrompt, decideSearchPrompt, summarizePrompt, titlePrompt } from './conversation-prompts.ts';
import { detectLanguagePrompt, translatePrompt } from './language-prompts.ts';
import type { PresetPrompt } from './preset-prompt.ts';

/**
 * The prompt of a preset task. `messages`: the branch of its conversation, oldest first, empty without one; `window`:
 * context window of the model, in tokens.
 */
export function presetPrompt(
  call: PresetTaskCall,
  { messages, window }: { messages: readonly Message[]; window: number },
): PresetPrompt<PresetTaskResult['value']> {
  switch (call.task) {
    case 'title':
      return titlePrompt(messages);
    case 'agent-avatar':
      return avatarPrompt(call.agent);
    case 'agent-title':
      return agentTitlePrompt(call.agent, call.language);
    case 'agent-description':
      return agentDescriptionPrompt(call.agent, call.language);
    case 'agent-tags':
      return agentTagsPrompt(call.agent, call.language);
    case 'detect-language':
      return detectLanguagePrompt(call.text);
    case 'translate':
      return translatePrompt(call.text, call.to);
    case 'summarize':
      return summarizePrompt(messages, window);
    case 'complete-input':
      return completeInputPrompt({ before: call.before, after: call.after ?? '' }, messages);
    case 'decide-search':
      return decideSearchPrompt(call.text, messages);
  }
}

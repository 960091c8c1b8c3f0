import type { TextTemplates } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { explainError } from '../i18n/server-text.ts';
import { toApiError } from '../state/failure.ts';

/** An error as shown on the page; `code` is absent if the page wrote it. */
export type FailureText = {
  code?: string;
  message: string;
  hint?: string | undefined;
  templates?: TextTemplates | undefined;
};

/** A user action that may fail. The error stays until the next action. */
export class Attempt<Name extends string = 'it'> {
  busy: Name | null = $state(null);
  error: FailureText | null = $state.raw(null);

  /** True on success. */
  async make(name: Name, work: () => Promise<unknown>): Promise<boolean> {
    this.busy = name;
    this.error = null;
    try {
      await work();
      return true;
    } catch (thrown) {
      this.error = failureText(thrown);
      return false;
    } finally {
      this.busy = null;
    }
  }
}

/** Converts errors of the API or of the tab's MCP client; anything else is a bug of the page and is thrown again. */
export function failureText(thrown: unknown): FailureText {
  if (!ToolyardError.isInstance(thrown)) return toApiError(thrown);
  const { code, message, hint, templates } = thrown;
  return { code, message, hint, templates };
}

/** What failed, in one line in the language of the page. */
export function failureLine(thrown: unknown): string {
  const { title, message } = explainError(failureText(thrown));
  return [title, message.text].filter(Boolean).join(' ');
}

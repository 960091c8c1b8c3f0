import type { ErrorInfo, Problem, TextTemplates } from '@toolyard/protocol';
import { isJsonObject, parseJson, defined, readTemplates } from '@toolyard/protocol';

/**
 * An error response of the server, or `network` if the server could not be reached. `message` can be shown to the user.
 */
export class ApiError extends Error {
  readonly code: ErrorInfo['code'];
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  readonly hint: string | undefined;
  readonly issues: NonNullable<Problem['issues']>;
  /** Of `message` and `hint`. */
  readonly templates: TextTemplates | undefined;

  constructor(problem: Pick<Problem, 'code' | 'status' | 'detail' | 'hint' | 'issues' | 'templates'>) {
    super(problem.detail);
    this.name = 'ApiError';
    this.code = problem.code;
    this.status = problem.status;
    this.hint = problem.hint;
    this.issues = problem.issues ?? [];
    const { detail, ...others } = problem.templates ?? {};
    this.templates = detail === undefined ? others : { ...others, message: detail };
  }
}

/** Reads problem+json; null if the body is something else, such as the error page of a proxy in between. */
export function problemFrom(status: number, body: string): ApiError | null {
  const parsed = parseJson(body);
  if (parsed.ok && isJsonObject(parsed.value)) {
    const { code, detail, hint, issues, templates } = parsed.value;
    if (typeof code === 'string' && typeof detail === 'string') {
      return new ApiError({
        // Newer servers may send codes this page does not know; their errors are shown by `detail`.
        code: code as ErrorInfo['code'],
        status,
        detail,
        ...(typeof hint === 'string' ? { hint } : {}),
        ...(Array.isArray(issues) ? { issues: issues.filter(isIssue) } : {}),
        ...defined({ templates: readTemplates(templates) }),
      });
    }
  }
  return null;
}

function isIssue(value: unknown): value is { path: string; message: string } {
  return isJsonObject(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string';
}

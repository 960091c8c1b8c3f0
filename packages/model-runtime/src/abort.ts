/** The error of an aborted call, regardless of the reason given to its signal. */
export function abortError(): DOMException {
  return new DOMException('The model call was cancelled.', 'AbortError');
}

/** Throws an AbortError if `signal` was aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortError();
}

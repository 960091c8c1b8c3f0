/** What an aborted call throws, whatever reason its signal was given. */
export function abortError(): DOMException {
  return new DOMException('The model call was cancelled.', 'AbortError');
}

/** Throws an AbortError if `signal` was aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortError();
}

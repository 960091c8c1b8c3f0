/**
 * The user's answer, or `otherwise` if the user could not be asked. Null if the run was stopped: then there is no
 * answer to apply.
 */
export async function askUnlessStopped<Answer>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
  otherwise: Answer,
): Promise<Answer | null> {
  if (signal.aborted) return null;
  let stop = (): void => undefined;
  const stopped = new Promise<null>((resolve) => {
    stop = () => resolve(null);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([ask(), stopped]);
  } catch {
    return signal.aborted ? null : otherwise;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

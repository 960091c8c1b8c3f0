/**
 * What a person says, `otherwise` where they could not be asked. Null once the run is to end: nobody has said anything
 * then, and nothing is to be made of it.
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

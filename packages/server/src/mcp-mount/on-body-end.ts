/** The same response; `onEnd` is called once, when its body was read, failed, or was cancelled. */
export function onBodyEnd(response: Response, onEnd: () => void): Response {
  const body: ReadableStream<Uint8Array> | null = response.body;
  if (body === null) {
    onEnd();
    return response;
  }
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    onEnd();
  };
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      async cancel(reason) {
        end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(watched, response);
}

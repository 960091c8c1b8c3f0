/** The response with another body; the constructor of a response cannot set its URL. */
export function withBody(
  { status, statusText, headers: given, url }: Response,
  body: ReadableStream<Uint8Array> | string | null,
  headers: Headers = given,
): Response {
  const response = new Response(body, { status, statusText, headers });
  Object.defineProperty(response, 'url', { value: url });
  return response;
}

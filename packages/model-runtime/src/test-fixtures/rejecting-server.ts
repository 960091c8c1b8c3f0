import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import type { ModelRuntimeOptions } from '../create-runtime.ts';
import type { ChatRequest, ModelRuntime, StreamPart } from '../types.ts';
import type { WireName } from '@toolyard/protocol';
import { collect, request, user } from './requests.ts';
import { runtimeOver } from './wires.ts';

/** A rejection: status, and the body of the error; with status 200, the first event of a stream. */
export type Rejection = { status: number; error: JsonObject | string };

export const answered: Record<string, (text: string) => string> = {
  'openai-chat': (text) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
  'google-gemini': (text) =>
    `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text }] }, finishReason: 'STOP' }] })}\n\n`,
};

/** A model server that rejects what `judge` rejects. */
export function server(
  judge: (body: JsonObject, text: string) => Rejection | null,
  options: Partial<ModelRuntimeOptions> = {},
  wire: WireName = 'openai-chat',
): {
  bodies: JsonObject[];
  ask: (more?: Partial<ChatRequest>) => Promise<StreamPart[]>;
  runtime: ModelRuntime;
} {
  const bodies: JsonObject[] = [];
  const fetch: typeof globalThis.fetch = (_, init) => {
    const text = typeof init?.body === 'string' ? init.body : '';
    const parsed = parseJson(text);
    const sent = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
    bodies.push(sent);
    const rejection = judge(sent, text);
    if (rejection !== null) {
      const { status, error } = rejection;
      const body = typeof error === 'string' ? error : JSON.stringify(error);
      const stream = { headers: { 'content-type': 'text/event-stream' } };
      const response = status === 200 ? new Response(`data: ${body}\n\n`, stream) : new Response(body, { status });
      return Promise.resolve(response);
    }
    const write = answered[wire] ?? (() => '');
    return Promise.resolve(new Response(write('answered'), { headers: { 'content-type': 'text/event-stream' } }));
  };
  const runtime = runtimeOver(wire, 'http://h.test/v1', { label: 'Fake', fetch, ...options });
  const ask = ({ messages = [user('hi')], ...more }: Partial<ChatRequest> = {}): Promise<StreamPart[]> =>
    collect(runtime, request([...messages], more));
  return { bodies, ask, runtime };
}

export const notices = (parts: readonly StreamPart[], code?: string): string[] =>
  parts.flatMap((part) => (part.type === 'notice' && (code === undefined || part.code === code) ? [part.text] : []));
export const toolNames = (body: JsonObject | undefined): JsonValue[] =>
  Array.isArray(body?.['tools'])
    ? body['tools'].flatMap((each) =>
        isJsonObject(each) && isJsonObject(each['function']) ? [each['function']['name'] ?? null] : [],
      )
    : [];
export const openAi = (message: string, more: JsonObject = {}): JsonObject => ({
  error: { message, type: 'invalid_request_error', ...more },
});

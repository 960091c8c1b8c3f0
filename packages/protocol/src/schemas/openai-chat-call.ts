import { z } from 'zod';
import { jsonObject, named, namedObject } from './common.ts';
import { agentConfiguration } from './configuration.ts';

const { temperature, topP, topK, maxOutputTokens, presencePenalty, frequencyPenalty, seed, reasoningEffort } =
  agentConfiguration.shape.parameters.unwrap().shape;

const text = z.strictObject({ type: z.literal('text'), text: z.string() });
const texts = z.union([z.string(), z.array(text)]);
const dataOrHttpUrl = z.string().regex(/^(?:https?:\/\/|data:)/i, {
  error: 'must begin with https://, http:// or data:',
});
const userPart = z.discriminatedUnion('type', [
  text,
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: dataOrHttpUrl, detail: z.enum(['auto', 'low', 'high']).exactOptional() }),
  }),
  z.strictObject({
    type: z.literal('input_audio'),
    input_audio: z.strictObject({ data: z.string(), format: z.enum(['wav', 'mp3']) }),
  }),
]);
const name = z.string().exactOptional();
const functionName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits or any of _ -');
const toolCall = z.strictObject({
  id: z.string().min(1).max(300),
  type: z.literal('function').exactOptional(),
  function: z.strictObject({ name: z.string().min(1), arguments: z.string() }),
});

const openAiMessage = named(
  'OpenAiMessage',
  z.discriminatedUnion('role', [
    z.strictObject({ role: z.literal('system'), content: texts, name }),
    z.strictObject({ role: z.literal('developer'), content: texts, name }),
    z.strictObject({ role: z.literal('user'), content: z.union([z.string(), z.array(userPart).min(1)]), name }),
    z.strictObject({
      role: z.literal('assistant'),
      content: texts.nullable().exactOptional(),
      refusal: z.string().nullable().exactOptional(),
      tool_calls: z.array(toolCall).exactOptional(),
      name,
    }),
    z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: texts, name }),
  ]),
);

/** The body of OpenAI Chat Completions, as far as it means the same for every model. */
export const openAiChatCall = namedObject('OpenAiChatCall', {
  model: z.string().min(1).max(300),
  messages: z.array(openAiMessage).min(1).max(20_000),
  stream: z.literal(true, { error: 'must be true: this route always streams' }).exactOptional(),
  stream_options: z.strictObject({ include_usage: z.boolean().exactOptional() }).exactOptional(),
  n: z.literal(1).exactOptional(),
  temperature,
  top_p: topP,
  top_k: topK,
  max_tokens: maxOutputTokens,
  /** Preferred to `max_tokens`. */
  max_completion_tokens: maxOutputTokens,
  presence_penalty: presencePenalty,
  frequency_penalty: frequencyPenalty,
  seed,
  stop: z.union([z.string(), z.array(z.string())]).exactOptional(),
  reasoning_effort: reasoningEffort,
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: functionName,
          description: z.string().exactOptional(),
          parameters: jsonObject.exactOptional(),
          strict: z.boolean().nullable().exactOptional(),
        }),
      }),
    )
    .max(1000)
    .exactOptional(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
    ])
    .exactOptional(),
  response_format: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text') }),
      z.strictObject({ type: z.literal('json_object') }),
      z.strictObject({
        type: z.literal('json_schema'),
        json_schema: z.strictObject({
          name: z.string().min(1),
          description: z.string().exactOptional(),
          schema: jsonObject,
          strict: z.boolean().nullable().exactOptional(),
        }),
      }),
    ])
    .exactOptional(),
  user: z.string().min(1).max(512).exactOptional(),
});
export type OpenAiChatCall = z.output<typeof openAiChatCall>;

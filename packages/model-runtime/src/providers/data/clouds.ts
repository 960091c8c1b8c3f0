import type { ProviderData } from '../types.ts';

const VERTEX =
  'https://{GOOGLE_CLOUD_LOCATION}-aiplatform.googleapis.com/v1/projects/{GOOGLE_CLOUD_PROJECT}/locations/{GOOGLE_CLOUD_LOCATION}/publishers';

const VERTEX_NOTE =
  'The key is the content of the JSON key file of a service account. Without one, the application default credentials of the server are used. The host of the location "global" is aiplatform.googleapis.com.';

/** Models within a cloud account: the base URL contains an identifier of the account. */
export const CLOUDS: readonly ProviderData[] = [
  {
    id: 'azure',
    label: 'Azure OpenAI',
    wire: 'openai-responses',
    baseUrl: 'https://{AZURE_RESOURCE_NAME}.openai.azure.com/openai/v1',
    keyVariables: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
    keyPage: 'https://portal.azure.com',
    models: { named: [] },
    note: 'Name the models by your deployments; the model list contains those that can be deployed.',
    source: 'https://learn.microsoft.com/en-us/azure/foundry/openai/api-version-lifecycle',
  },
  {
    id: 'azureai',
    label: 'Azure AI Foundry',
    // The limit of OpenAI: see `OPENAI_MAX_TOOLS`.
    quirks: { maxTools: 128 },
    baseUrl: 'https://{AZURE_AI_RESOURCE_NAME}.services.ai.azure.com/openai/v1',
    keyPage: 'https://ai.azure.com',
    models: { named: [] },
    note: 'Name the models by your deployments.',
    source: 'https://learn.microsoft.com/en-us/azure/foundry/openai/api-version-lifecycle',
  },
  {
    id: 'bedrock',
    label: 'Amazon Bedrock',
    baseUrl: 'https://bedrock-mantle.{AWS_REGION}.api.aws/openai/v1',
    keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
    keyPage: 'https://console.aws.amazon.com/bedrock/home#/api-keys',
    note: 'Needs an Amazon Bedrock API key; covers the models Bedrock serves over the OpenAI API. For all models and AWS credentials choose Amazon Bedrock (Converse).',
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/models-api-compatibility.html',
  },
  {
    id: 'bedrockconverse',
    label: 'Amazon Bedrock (Converse)',
    wire: 'bedrock-converse',
    baseUrl: 'https://bedrock-runtime.{AWS_REGION}.amazonaws.com',
    keyVariables: [],
    cloud: 'aws',
    keyPage: 'https://console.aws.amazon.com/bedrock/home#/api-keys',
    note: 'The key is ACCESS_KEY_ID:SECRET_ACCESS_KEY, with :SESSION_TOKEN for temporary credentials, or a Bedrock API key. Without one, AWS_ACCESS_KEY_ID and the other AWS variables of the server are used.',
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html',
  },
  {
    id: 'vertexai',
    label: 'Google Vertex AI',
    wire: 'google-gemini',
    quirks: { vertex: true },
    baseUrl: `${VERTEX}/google`,
    keyVariables: [],
    cloud: 'google',
    keyPage: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
    models: { named: [] },
    note: VERTEX_NOTE,
    source: 'https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference',
  },
  {
    id: 'vertexclaude',
    label: 'Claude on Google Vertex AI',
    wire: 'anthropic-messages',
    quirks: { vertex: true },
    baseUrl: `${VERTEX}/anthropic`,
    keyVariables: [],
    cloud: 'google',
    keyPage: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
    models: { named: [] },
    note: VERTEX_NOTE,
    source: 'https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai',
  },
  {
    id: 'cloudflare',
    label: 'Cloudflare Workers AI',
    baseUrl: 'https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1',
    keyVariables: ['CLOUDFLARE_AI_API_KEY'],
    keyPage: 'https://dash.cloudflare.com/profile/api-tokens',
    models: {
      named: [
        '@cf/openai/gpt-oss-120b',
        '@cf/openai/gpt-oss-20b',
        '@cf/meta/llama-4-scout-17b-16e-instruct',
        '@cf/mistralai/mistral-small-3.1-24b-instruct',
        '@cf/qwen/qwen3-30b-a3b-fp8',
      ],
    },
    note: 'CLOUDFLARE_API_TOKEN is not used automatically, since it is also set for other services.',
    source: 'https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility/',
  },
  {
    id: 'github',
    label: 'GitHub Models',
    baseUrl: 'https://models.github.ai/inference',
    keyVariables: [],
    keyPage: 'https://github.com/settings/tokens',
    models: { path: '/../catalog/models' },
    note: 'GITHUB_TOKEN is not used automatically, since it is also set for other purposes.',
    source: 'https://docs.github.com/en/rest/models/inference',
  },
];

import type { McpBehaviour } from '@toolyard/testing';

/** The request state its server sends with the request, to be returned unchanged. */
export const STATE = 'opaque "state" \u0007 状态 \\ 0x00';

/** A modern server that asks for a city before it counts. */
export const ASKS_FIRST: McpBehaviour = {
  era: 'modern',
  tools: [
    {
      name: 'count',
      does: [
        {
          do: 'ask',
          requestState: STATE,
          inputRequests: {
            city: {
              method: 'elicitation/create',
              params: {
                mode: 'form',
                message: 'Which city?',
                requestedSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
              },
            },
          },
        },
        { do: 'count' },
      ],
    },
  ],
};

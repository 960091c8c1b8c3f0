/** Deviations of a server from Anthropic's own API. */
export type AnthropicQuirks = {
  /** Expects the key as `authorization: Bearer`. */
  bearer?: boolean;
  /** Does not accept `cache_control`. Detected automatically, at the cost of one rejected request. */
  noCacheMarks?: boolean;
  /**
   * Rejects calls without thinking while it thinks. Detected automatically, at the cost of one rejected request.
   */
  reasoningInCalls?: boolean;
  /** Claude of Vertex AI: the model is in the path, and the key is Google Cloud credentials. */
  vertex?: boolean;
};

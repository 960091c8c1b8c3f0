/** Where a server that speaks Anthropic's API differs from Anthropic. */
export type AnthropicQuirks = {
  /** It wants the key as `authorization: Bearer`. */
  bearer?: boolean;
  /** It knows no `cache_control`. Found out by itself, at the cost of one request. */
  noCacheMarks?: boolean;
};

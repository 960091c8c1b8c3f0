/** Frames with content of models and MCP Apps, and previews. */
export const frames = {
  failed_unreachable:
    'The frame for this content does not respond. Reload the page if the server was restarted. If you reach this machine through a forwarded port or a proxy, set --frame-port or --frame-origin.',
  failed_timeout: 'The content did not load in time.',
  failed_left: 'The content tried to open another address in its frame. This was blocked, and the content is gone.',
  failed_flood: 'The content sent too many messages and was stopped.',
  again: 'Load again',
};

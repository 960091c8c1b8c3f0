import type { IndexedTool } from '@toolyard/mcp-host';

const SERVERS: Readonly<Record<string, readonly [things: string, about: string]>> = {
  calendar: ['event attendee reminder calendar availability', 'in the calendar of the user'],
  mail: ['message draft label folder attachment', 'in the mailbox of the user'],
  files: ['file folder link permission version', 'on the shared drive'],
  github: ['issue pull_request branch release workflow', 'of a repository on the code host'],
  crm: ['contact deal company note pipeline', 'in the customer database'],
  billing: ['invoice payment refund subscription coupon', 'of a customer account'],
  warehouse: ['item shipment stock supplier order', 'in the warehouse'],
  cloud: ['server volume database bucket certificate', 'in the cloud account'],
  chat: ['channel thread reaction member poll', 'in the team chat'],
  maps: ['route place distance traffic address', 'on the map'],
};
const ACTIONS: Readonly<Record<string, string>> = {
  create: 'Creates a new',
  get: 'Reads the details of one',
  list: 'Lists, with filters and pages, every',
  update: 'Changes fields of an existing',
  delete: 'Removes for good a',
  search: 'Finds by text a',
  export: 'Writes to a spreadsheet each',
  archive: 'Hides without deleting a',
  share: 'Gives another user access to a',
  copy: 'Duplicates a',
};

/** Tools as large installations have them: the same verbs and similar descriptions on several servers. */
export function manyTools(count: number): IndexedTool[] {
  const tools: IndexedTool[] = [];
  for (const [serverId, [things, about]] of Object.entries(SERVERS)) {
    for (const thing of things.split(' ')) {
      for (const [verb, does] of Object.entries(ACTIONS))
        tools.push(createTool(serverId, verb, thing, `${does} ${thing.replace('_', ' ')} ${about}.`));
    }
  }
  return tools.slice(0, count);
}

function createTool(serverId: string, verb: string, thing: string, description: string): IndexedTool {
  const name = `${serverId}_${verb}_${thing}`;
  return {
    tool: { serverId, name, origin: 'server' },
    name,
    description,
    inputSchema: {
      type: 'object',
      properties: {
        [`${thing}_id`]: { type: 'string', description: `The id of the ${thing}.` },
        fields: { type: 'object', description: 'Fields and their new values.' },
        limit: { type: 'integer', minimum: 1, maximum: 100 },
      },
      required: [`${thing}_id`],
    },
    builtIn: false,
    checkArguments: () => null,
  };
}

/** Tasks in the words of users, and the tool for each. */
export const TASKS: readonly (readonly [task: string, tool: string])[] = [
  ['add an event to my calendar', 'calendar/calendar_create_event'],
  ['set up a new meeting event in calendar', 'calendar/calendar_create_event'],
  ['which attendees does the calendar list', 'calendar/calendar_list_attendee'],
  ['delete a draft email in the mailbox', 'mail/mail_delete_draft'],
  ['find a message in my mail', 'mail/mail_search_message'],
  ['list files on the drive', 'files/files_list_file'],
  ['share a folder with a colleague', 'files/files_share_folder'],
  ['open a new issue on github', 'github/github_create_issue'],
  ['list the pull requests of the repository', 'github/github_list_pull_request'],
  ['search for a contact of a customer', 'crm/crm_search_contact'],
  ['export deals to a spreadsheet', 'crm/crm_export_deal'],
  ['refund: create one for a customer', 'billing/billing_create_refund'],
  ['get the invoice details', 'billing/billing_get_invoice'],
  ['update the stock of the warehouse', 'warehouse/warehouse_update_stock'],
  ['list shipments', 'warehouse/warehouse_list_shipment'],
  ['delete a server in the cloud', 'cloud/cloud_delete_server'],
  ['create a database', 'cloud/cloud_create_database'],
  ['archive a chat channel', 'chat/chat_archive_channel'],
  ['create a poll for the team', 'chat/chat_create_poll'],
  ['search a place on the map', 'maps/maps_search_place'],
];

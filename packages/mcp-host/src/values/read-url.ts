export { readUrl } from '@toolyard/protocol';

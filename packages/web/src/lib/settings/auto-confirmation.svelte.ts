import { api } from '../api/client.ts';

const PATH = '/api/mcp/unsandboxed-servers';

/** The local servers without a sandbox for which mode `auto` has not been confirmed. */
export class AutoConfirmationDialog {
  unconfirmed: string[] = $state.raw([]);

  async load(): Promise<string[]> {
    this.unconfirmed = (await api.get(PATH)).unconfirmed;
    return this.unconfirmed;
  }

  /** The confirmed servers among those shown. */
  async confirm(): Promise<void> {
    this.unconfirmed = (await api.put(PATH, { body: { servers: this.unconfirmed } })).unconfirmed;
  }
}

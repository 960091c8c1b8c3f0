import { Client } from '@modelcontextprotocol/client';

/** Calls `listener`, on the stack of the request, for every MCP request that this process sends with the SDK. */
export function listenToSdkRequests(listener: (method: string) => void): Disposable {
  const request = Reflect.get(Client.prototype, 'request');
  Client.prototype.request = new Proxy(request, {
    apply(target, client, sent: Parameters<Client['request']>) {
      listener(sent[0].method);
      return Reflect.apply(target, client, sent);
    },
  });
  return {
    [Symbol.dispose]() {
      Client.prototype.request = request;
    },
  };
}

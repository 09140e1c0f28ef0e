import { once } from 'node:events';
import { EventEmitter } from 'node:events';
import type { HttpRequest, HttpResponse, SentResponse } from '#core/http';
import type { ListeningServer, NodeServer, NodeServerOptions } from '#core/http/node';
import { createNodeServer } from '#core/http/node';

/** A finished response. */
export interface Told {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly sent: SentResponse;
}

/** A server for one test, and its reports. Closed by `await using`. */
export interface TestServer extends AsyncDisposable {
  readonly server: NodeServer;
  readonly listening: ListeningServer;
  readonly port: number;
  readonly told: Told[];
  readonly errors: unknown[];
  /** The next finished response, or the last one. */
  nextTold(count?: number): Promise<Told>;
}

export async function startServer(
  handle: NodeServerOptions['handle'],
  options: Partial<NodeServerOptions> = {},
): Promise<TestServer> {
  const told: Told[] = [];
  const errors: unknown[] = [];
  const bell = new EventEmitter();
  const server = createNodeServer({
    handle,
    terminate: (request, response, sent) => {
      told.push({ request, response, sent });
      bell.emit('told');
    },
    onError: (error) => {
      errors.push(error);
    },
    ...options,
  });
  const listening = await server.listen({ port: 0 });
  return {
    server,
    listening,
    port: listening.port,
    told,
    errors,
    async nextTold(count = 1): Promise<Told> {
      while (told.length < count) await once(bell, 'told');
      const last = told[count - 1];
      if (last === undefined) throw new Error('nothing was told');
      return last;
    },
    [Symbol.asyncDispose]: () => listening.close({ graceMs: 50 }),
  };
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp } from 'lookback';
import { createTestClient, type TestClient } from 'lookback/testing';

/** An application whose records are in a separate file. */
export interface RecordedApp {
  readonly app: App;
  readonly client: TestClient;
  /** The store's address. */
  readonly store: string;
  readonly folder: string;
  close(): Promise<void>;
}

/** Text that controls terminals and changes the writing direction. */
export const hostile = '\u001B[31mred\u202Eabc\u0007';

export function startRecordedApp(): RecordedApp {
  const folder = mkdtempSync(join(tmpdir(), 'lookback-records-'));
  const store = `sqlite:${join(folder, 'profiler.db')}`;
  const app = createApp({
    configuration: { env: 'dev', debug: true, profilerStore: store },
    logHandlers: [],
  });
  app.get('/shelves/{name}', ({ params }) => params);
  app.get('/fails', ({ log }) => {
    log.warning('The ladder is gone.');
    throw new TypeError(`The shelf fell down. ${hostile}`);
  });
  app.get('/calls', async () => {
    await fetch('http://127.0.0.1:2/stock').catch(() => undefined);
    throw new Error('There is no stock.');
  });
  app.post('/books', ({ params }) => params);
  return {
    app,
    client: createTestClient(app),
    store,
    folder,
    async close() {
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

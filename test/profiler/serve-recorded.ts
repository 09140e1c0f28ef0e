/**
 * An application whose requests are recorded: `node serve-recorded.js STORE`. Sends its port; answers each message with its
 * counters, its state and what the store knows of all processes.
 */
import { createApp } from 'lookback';

const [profilerStore = ''] = process.argv.slice(2);
const app = createApp({ configuration: { env: 'dev', debug: true, profilerStore }, logHandlers: [] });
app.get('/items/{id}', ({ params }) => params);
const { port } = await app.listen({ port: 0 });
process.on('message', () => {
  void (async () => {
    await app.profiler?.flush();
    process.send?.({
      counters: app.profiler?.counters(),
      state: app.profiler?.state(),
      processes: await app.profiler?.processes(),
    });
  })();
});
process.send?.({ port });

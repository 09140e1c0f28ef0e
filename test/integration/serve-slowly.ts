/** A program for tests: requests take a while, and memory use cannot be read. */
import { createApp, serve } from 'lookback';
import { terminateEvent } from 'lookback';

if (process.argv[2] === 'no-descriptors')
  process.memoryUsage = Object.assign(
    () => {
      process.stdout.write('asked\n');
      throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
    },
    { rss: () => 0 },
  );

await serve(() => {
  const app = createApp();
  app.get('/', () => 'ok');
  app.get('/slow', async () => {
    process.stdout.write('begun\n');
    await new Promise((resolve) => setTimeout(resolve, 300)); // longer than it takes to stop the program
    return 'slow';
  });
  app.get('/hang', () => {
    process.stdout.write('begun\n');
    return new Promise(() => {});
  });
  app.get('/late', () => 'late');
  app.on(terminateEvent, ({ request }) =>
    request.path === '/late' ? new Promise<void>(() => {}) : undefined,
  );
  return app;
});

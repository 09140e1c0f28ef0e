/** A program for tests: requests never end, each is reported when it begins, and one of them ends the program. */
import { createApp, serve } from 'lookback';

await serve(() => {
  const app = createApp();
  app.get('/hang', () => {
    process.stdout.write('begun\n');
    return new Promise(() => {});
  });
  app.get('/throw', () => {
    setImmediate(() => {
      throw new Error('Nobody catches this.');
    });
    return new Promise(() => {});
  });
  return app;
});

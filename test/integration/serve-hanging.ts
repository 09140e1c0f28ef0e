/** A program for tests: requests that never end, and one that ends the program. */
import { createApp, serve } from 'lookback';

await serve(() => {
  const app = createApp();
  app.get('/hang', () => new Promise(() => {}));
  app.get('/throw', () => {
    setImmediate(() => {
      throw new Error('Nobody catches this.');
    });
    return new Promise(() => {});
  });
  return app;
});

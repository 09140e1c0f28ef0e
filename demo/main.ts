import { serve } from 'lookback';
import { createDemo } from './create-demo.js';

// Prints what to try, then where the application is; ends with one clear line where it cannot start.
await serve(async () => {
  const app = await createDemo();
  process.stdout.write(`The demo has:
  /no/such/page   why there is no such page, and its record
  /failures       a page for each kind of failure
  /en/login       users reader, editor and admin; the password is the name
`);
  return app;
});

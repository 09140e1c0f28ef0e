import { serve } from 'lookback';
import { createDemo } from './create-demo.js';

// Prints the application's URL and things to try; exits with one clear line if it cannot start.
await serve(createDemo);
if (process.exitCode === undefined)
  process.stdout.write(`The demo has:
  /no/such/page   an error page that explains why, and links to its record
  /failures       a page for each kind of failure
  /en/login       users reader, editor and admin; each password equals the name
`);

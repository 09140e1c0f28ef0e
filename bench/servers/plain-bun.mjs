import { serveOnBun } from '../harness/serve-on-bun.mjs';

/** What no application on Bun can be faster than: of the request, only its URL is read. */
export const start = () => serveOnBun('Bun.serve', () => undefined);

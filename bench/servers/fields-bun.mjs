import { serveOnBun } from '../harness/serve-on-bun.mjs';

/** Bun makes an object of all fields when the first is read. */
export const start = () =>
  serveOnBun('Bun.serve, one header field read', ({ headers }) => headers.get('host'));

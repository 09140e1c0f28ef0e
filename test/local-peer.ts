/** A client on this machine, for `app.fetch`. */
export const local = { peer: { address: '127.0.0.1' } } as const;

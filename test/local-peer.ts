/** For `app.fetch`: a client on this machine. */
export const local = { peer: { address: '127.0.0.1' } } as const;

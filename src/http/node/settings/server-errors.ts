import { defineErrorCodes, type ErrorCodes } from '#coded-error';

const table = {
  HTTP_PORT_BUSY: {
    message: 'The port {port} on {host} is taken by another program.',
    fix: 'Stop that program, or choose another port: PORT={next}.',
  },
  HTTP_PORT_FORBIDDEN: {
    message: 'The port {port} on {host} cannot be used by this user.',
    fix: 'Choose a port above 1023, for example PORT=8000.',
  },
  HTTP_HOST_UNUSABLE: {
    message: 'Cannot listen on {host}: it is not an address of this machine ({reason}).',
    fix: 'Set HOST to an address of this machine, for example 127.0.0.1.',
  },
  HTTP_LISTEN_FAILED: {
    message: 'Cannot listen on {host}:{port} ({reason}).',
    fix: 'Check HOST and PORT.',
  },
  HTTP_TLS_UNREADABLE: {
    message: 'The TLS {what} {path} cannot be read ({reason}).',
    fix: 'Point {setting} at a PEM file that this user may read.',
  },
  HTTP_TLS_INVALID: {
    message: 'The TLS certificate {cert} and key {key} cannot be used ({reason}).',
    fix: 'Use the PEM certificate (with its chain) and the private key that belongs to it.',
  },
  HTTP_TLS_CLIENT_CA: {
    message: 'The TLS client authority {path} holds no certificate ({reason}).',
    fix: 'Set TLS_CLIENT_CA to the PEM certificate of the authority that signs the clients’ certificates.',
  },
  HTTP_CONNECTIONS_REFUSED: {
    message: '{refused} connections were refused: {limit} are open, the limit.',
    fix: 'Raise limits.maxConnections in the options of createApp, or start more processes.',
  },
  HTTP_LIMITS_IGNORED: {
    message: 'Node {version} does not apply these limits to HTTP/1.1 over TLS: {limits}.',
    fix: 'Use a release of Node that this release of lookback is tested with, or end TLS in a proxy in front of it.',
  },
  HTTP_LENGTH_MISMATCH: {
    message: 'The response declared {declared} bytes in its Content-Length, but its stream had {given}.',
    fix: 'Omit the Content-Length; the server frames streams itself.',
  },
} as const;

/** What can be wrong with a server's settings, or with a response it is to send. */
export const serverErrors: ErrorCodes<typeof table> = defineErrorCodes(table);

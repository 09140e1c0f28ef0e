import { browserRequest } from './browser-request.mjs';

/** A browser's request as the server's parser would hand it over, without a socket. */
export function browserSource(path) {
  const [, ...lines] = browserRequest({ path, port: 8000 }).trimEnd().split('\r\n');
  const rawHeaders = lines.flatMap((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  return {
    method: 'GET',
    target: path,
    httpVersion: '1.1',
    rawHeaders,
    peer: { address: '127.0.0.1', port: 50_000, encrypted: false },
    body: undefined,
  };
}

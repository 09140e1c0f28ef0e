import { connect } from 'node:net';

/** A response as received over the wire. */
export interface WireResponse {
  readonly status: number;
  readonly reason: string;
  /** Lower-cased name → values in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: string;
  /** Everything, as received. */
  readonly raw: string;
}

export interface WireRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** The value of a header, with several joined, or undefined. */
export function header(response: WireResponse, name: string): string | undefined {
  return response.headers.get(name.toLowerCase())?.join(', ');
}

/** Sends a request over its own socket; the target is sent unchanged. */
export async function ask(baseUrl: string, target: string, request: WireRequest = {}): Promise<WireResponse> {
  const { host } = new URL(baseUrl);
  const fields: Record<string, string | undefined> = { Host: host, Connection: 'close', ...request.headers };
  if (request.body !== undefined) fields['Content-Length'] ??= String(Buffer.byteLength(request.body));
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  const head = [`${request.method ?? 'GET'} ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n');
  return parseResponse(await askRaw(baseUrl, head + (request.body ?? '')));
}

/** Sends bytes unchanged, and returns everything received until the other side closes. */
export function askRaw(baseUrl: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
    socket.setTimeout(30_000, () => socket.destroy(new Error('no answer within 30 s')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A refusing server may reset the connection while we send; what it answered before that counts.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE')
        resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(error);
    });
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}

/** The messages in a service's problem document in debug mode. */
export function messagesOf({ body }: WireResponse): string {
  const { detail, debug } = JSON.parse(body) as {
    detail: string;
    debug: { exception: { message: string }[] };
  }; // its members in debug mode
  return [detail, ...debug.exception.map(({ message }) => message)].join('\n');
}

export function parseResponse(raw: string): WireResponse {
  const end = raw.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = raw.slice(0, end).split('\r\n');
  const [, status = '0', reason = ''] = /^HTTP\/1\.\d (\d{3}) ?(.*)$/.exec(statusLine) ?? [];
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  const chunked = headers.get('transfer-encoding')?.includes('chunked') === true;
  const body = raw.slice(end + 4);
  return { status: Number(status), reason, headers, body: chunked ? joinChunks(body) : body, raw };
}

function joinChunks(body: string): string {
  let bytes = Buffer.from(body, 'utf8');
  const parts: Buffer[] = [];
  for (;;) {
    const end = bytes.indexOf('\r\n');
    const size = Number.parseInt(bytes.subarray(0, end).toString('latin1'), 16);
    if (end === -1 || Number.isNaN(size) || size === 0) return Buffer.concat(parts).toString('utf8');
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    bytes = bytes.subarray(end + 2 + size + 2);
  }
}

/** The text of an HTML page as a reader sees it: without tags and styles, entities resolved, white space collapsed. */
export function textOf(html: string): string {
  return html
    .replace(/<(style|script)\b[^>]*>[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#(?:39|x27);/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ');
}

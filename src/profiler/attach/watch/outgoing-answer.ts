import { CallSiteMemory, captureCallSites } from '#core/errors';
import { type HttpRequest, lostInJson, mayLackValues, requestRoute, withoutLostValues } from '#core/http';
import { runInScope } from '#core/scope';
import { type HeaderCaller, headerCallerOf, noteHeaderWrite, type Recording, recordFields } from '#profiler';
import type { Method } from '#core/patches';
import type { AttachSettings } from './attach-options.js';
import type { MessageWatch } from './followed-methods.js';
import type { ForeignResponse } from './foreign-message.js';
import {
  beginPage,
  endPage,
  fieldsOf,
  outgoingFields,
  type PageInParts,
  prepareHead,
  takesBody,
  textsOf,
  type ToolbarInput,
  withToolbar,
  writeWith,
} from './outgoing-head.js';
import { respondWith } from './stream-head.js';

export interface AnswerOwner {
  readonly request: HttpRequest;
  readonly recording: Recording;
  readonly outgoing: ForeignResponse;
  readonly settings: Pick<AttachSettings, 'bodies' | 'setters' | 'toolbar' | 'prefix'>;
  /** The record's URL, if the client may open it. */
  readonly link: string | undefined;
  emitAnswer(former: Method, args: unknown[]): unknown;
}

/**
 * Watches a response while it is sent: records its bytes and adds the record's header fields. Nothing is buffered,
 * reordered or delayed.
 */
export class OutgoingAnswer implements MessageWatch {
  bodyBytes = 0;
  /** Returns the value that the framework sends as JSON, if it is known. */
  jsonValue: (() => unknown) | undefined;
  readonly owner: AnswerOwner;
  readonly #outgoing: ForeignResponse;
  /** Set until the first byte, when it is decided whether the page gets a toolbar. */
  #toolbar: ToolbarInput | undefined;
  #inParts: PageInParts | undefined;
  /** Set during `end`: HTTP/2's `end` calls `write`, which must not count the chunk again. */
  #isEnding = false;
  /** Set while Node or lookback itself calls watched methods to set fields. */
  #isInner = false;

  constructor(owner: AnswerOwner) {
    this.owner = owner;
    this.#outgoing = owner.outgoing;
    const { request, recording, settings, link } = owner;
    const { toolbar, prefix } = settings;
    if (toolbar && link !== undefined)
      this.#toolbar = {
        request,
        token: recording.token,
        prefix: request.basePath + prefix,
        isAwaited: false,
      };
  }

  emit(former: Method, args: unknown[]): unknown {
    return this.owner.emitAnswer(former, args);
  }

  write(former: Method, args: unknown[]): unknown {
    const toolbar = this.#toolbar;
    this.#toolbar = undefined;
    if (toolbar !== undefined) this.#inParts = this.#inside(() => beginPage(this.#outgoing, args, toolbar));
    else if (this.#inParts !== undefined) [this.#inParts.last] = args;
    if (!this.#isEnding) {
      this.#noteChunk(args[0], args[1]);
      this.owner.recording.firstByte();
    }
    return Reflect.apply(former, this.#outgoing, args);
  }

  end(former: Method, given: unknown[]): unknown {
    const args = this.#withToolbar(given);
    if (this.jsonValue !== undefined) noteLost(this.owner, args[0], this.jsonValue);
    this.#noteChunk(args[0], args[1]);
    this.#isEnding = true;
    try {
      return Reflect.apply(former, this.#outgoing, args);
    } finally {
      this.#isEnding = false;
    }
  }

  #withToolbar(given: unknown[]): unknown[] {
    const [toolbar, inParts] = [this.#toolbar, this.#inParts];
    this.#toolbar = this.#inParts = undefined;
    if (inParts !== undefined && !this.#outgoing.writableEnded) return endPage(inParts, given);
    return toolbar === undefined ? given : this.#inside(() => withToolbar(this.#outgoing, given, toolbar));
  }

  flushHeaders(former: Method, args: unknown[]): unknown {
    this.owner.recording.firstByte();
    const toolbar = this.#toolbar;
    if (toolbar !== undefined) this.#inside(() => prepareHead(this.#outgoing, toolbar));
    return Reflect.apply(former, this.#outgoing, args);
  }

  setHeader(former: Method, args: unknown[]): unknown {
    return this.#change(former, args, [args]);
  }

  appendHeader(former: Method, args: unknown[]): unknown {
    return this.#change(former, args, [args]);
  }

  removeHeader(former: Method, args: unknown[]): unknown {
    return this.#change(former, args, [[args[0], undefined]]);
  }

  writeHead(former: Method, given: unknown[]): unknown {
    if (!this.owner.settings.setters || this.#isInner) return this.#writeHead(former, given);
    const result = this.#inside(() => this.#writeHead(former, given));
    this.noteFields(fieldsOf(given));
    return result;
  }

  /** In development, records which call set header fields; undefined values mean removed fields. */
  noteFields(fields: readonly (readonly unknown[])[]): void {
    if (this.owner.settings.setters && !this.#isInner && fields.length > 0)
      noteSetter(this.owner.request, fields);
  }

  #change(former: Method, args: unknown[], fields: readonly (readonly unknown[])[]): unknown {
    const result = this.#inside(() => Reflect.apply(former, this.#outgoing, args));
    this.noteFields(fields);
    return result;
  }

  #inside<Result>(work: () => Result): Result {
    const before = this.#isInner;
    this.#isInner = true;
    try {
      return work();
    } finally {
      this.#isInner = before;
    }
  }

  #writeHead(former: Method, args: unknown[]): unknown {
    const outgoing = this.#outgoing;
    const write = (): unknown => Reflect.apply(former, outgoing, args);
    if (this.owner.link === undefined || outgoing.headersSent) return write();
    const fields = this.#fields(args);
    if (!('stream' in outgoing)) return writeWith(fields, outgoing, write);
    return respondWith(fields, outgoing, { toolbar: this.#toolbar, write });
  }

  #noteChunk(chunk: unknown, encoding: unknown): void {
    const outgoing = this.#outgoing;
    if (outgoing.writableEnded || outgoing.destroyed || !takesBody(outgoing)) return;
    if (chunk instanceof Uint8Array) this.bodyBytes += chunk.byteLength;
    else if (typeof chunk !== 'string' || chunk === '') return;
    else if (isOther(encoding)) return this.#noteChunk(Buffer.from(chunk, encoding), undefined);
    else this.bodyBytes += Buffer.byteLength(chunk);
    if (this.owner.settings.bodies) this.owner.recording.responseBody(chunk);
  }

  #fields(args: unknown[]): readonly (readonly [string, string])[] {
    const { link = '', request, recording } = this.owner;
    const outgoing = this.#outgoing;
    const status = typeof args[0] === 'number' ? args[0] : outgoing.statusCode;
    const isRedirect = status >= 300 && status < 400;
    const location = isRedirect ? outgoingFields(outgoing, args)('location')[0] : undefined;
    return recordFields(request, { status, location }, { recording, link });
  }
}

/** Longest JSON that is compared with the value that it was made from. */
const maxCompared = 65_536;

/** Records which parts of a value were lost in the JSON sent: a promise or a Map becomes `{}`, NaN becomes null. */
function noteLost({ request, recording }: AnswerOwner, chunk: unknown, read: () => unknown): void {
  const isShort = (typeof chunk === 'string' || Buffer.isBuffer(chunk)) && chunk.length <= maxCompared;
  if (!isShort || !mayLackValues(chunk)) return;
  try {
    const value = read();
    if (typeof value !== 'object' || value === null) return;
    const text = JSON.stringify(value);
    // A schema or another middleware may have changed the value.
    if (text !== String(chunk) && text !== JSON.stringify(JSON.parse(String(chunk)))) return;
    const noted = { lost: [], nulled: [] };
    request.scope.set(lostInJson, noted);
    runInScope(request.scope, () => withoutLostValues(text, value));
    if (noted.lost.length + noted.nulled.length > 0) recording.section('result', { promises: [], ...noted });
  } catch {
    // The value belongs to the application, whose getters and `toJSON` may throw.
  }
}

function noteSetter(request: HttpRequest, fields: readonly (readonly unknown[])[]): void {
  const route = request.scope.get(requestRoute)?.name ?? request.rawPath;
  const names = fields.map(([name, given]) => `${given === undefined ? '-' : ''}${String(name)}`).join();
  const taken = setters.take(route, names, takeCaller);
  if (copiers.has(taken.sites[0]?.by ?? '')) return;
  for (const [name, given] of fields) {
    const value = given === undefined || typeof given === 'string' ? given : textsOf(given).join(', ');
    noteHeaderWrite(request, { name: String(name), value }, taken);
  }
}

/** Packages that copy a web `Response`'s headers, so that the original setter is unknown. */
const copiers: ReadonlySet<string> = new Set(['@hono/node-server', '@whatwg-node/server', 'srvx']);

/** Where routes set header fields; process-wide. Most requests set several, nearly always from the same calls. */
const setters = new CallSiteMemory<HeaderCaller>({ oneIn: 128 });

function takeCaller(): readonly HeaderCaller[] {
  const calls = captureCallSites(noteSetter, { depth: 20, limit: 20, withPackages: true });
  return [headerCallerOf(calls())];
}

/** Returns whether an encoding is not UTF-8. */
function isOther(encoding: unknown): encoding is BufferEncoding {
  return (
    typeof encoding === 'string' && encoding !== 'utf8' && encoding !== 'utf-8' && Buffer.isEncoding(encoding)
  );
}

import type { Picture, Redactor } from '#dump';
import { findField, requestLocale } from '#http';
import type { RecordedLimit } from '../model/profile-record.js';
import { BodyWriter, type SeenBody } from './body-content.js';
import { CleanWords } from './clean-words.js';
import type { ClosedRecording } from './closed-recording.js';
import { packFrames, type PackedReport } from './frame-words.js';
import { HeaderListWriter } from './header-lists.js';
import type { PackWriter } from './pack-writer.js';
import { writeValue } from './picture-argument.js';
import { writePicture } from './picture-tape.js';
import type { RecorderLimits } from './recorder-limits.js';
import type { RequestRecording, TakenArgument } from './request-recording.js';
import { toTicks } from './ticks.js';
import { SpanListWriter } from './span-list.js';

/** Whether there is a route, and whether there was no time to explain it: too frequent under load for the rare parts. */
export const routeCode = { none: 0, known: 1, untraced: 2 } as const;

/** In front of a log's context. Early records have the length of a picture as JSON here, which is greater. */
export const contextCode = { none: 0, picture: 1 } as const;

/** The parts of a record that few have, as one JSON text. */
export interface RareParts {
  exception?: PackedReport;
  trace?: unknown;
  allow?: readonly string[];
  children?: readonly string[];
  limits?: readonly RecordedLimit[];
  rawHead?: string;
}

/** Writes the records of one segment; what a row of the list has is not written again. */
export class RecordWriter {
  readonly #pack: PackWriter;
  readonly #redactor: Redactor;
  readonly #messages: CleanWords;
  readonly #limits: RecorderLimits;
  readonly #requestHeaders: HeaderListWriter;
  readonly #responseHeaders: HeaderListWriter;
  readonly #requestBody: BodyWriter;
  readonly #responseBody: BodyWriter;
  readonly #spans: SpanListWriter;

  constructor(pack: PackWriter, redactor: Redactor, limits: RecorderLimits) {
    this.#pack = pack;
    this.#redactor = redactor;
    this.#messages = new CleanWords(redactor);
    this.#limits = limits;
    this.#requestHeaders = new HeaderListWriter(pack, redactor);
    this.#responseHeaders = new HeaderListWriter(pack, redactor);
    this.#requestBody = new BodyWriter(pack, redactor, limits.requestBody);
    this.#responseBody = new BodyWriter(pack, redactor, limits.responseBody);
    this.#spans = new SpanListWriter(pack);
  }

  write(closed: ClosedRecording): void {
    const pack = this.#pack;
    const { recording } = closed;
    const { source } = recording.request;
    pack.word(source.httpVersion);
    pack.word(source.peer.address);
    pack.number(source.peer.port);
    this.#requestHeaders.write(source.rawHeaders, recording.token);
    this.#requestBody.write(requestBodyOf(recording));
    pack.word(recording.request.scope.get(requestLocale) ?? null);
    this.#writeResponse(closed);
    this.#writeRoute(recording);
    this.#spans.write(closed.slots, (closed.end - recording.start) * 1e6);
    this.#writeLogs(closed);
    pack.word(closed.runtime);
    pack.number(toTicks(closed.end - closed.sampledAt));
    pack.word(closed.config);
    this.#writeSections(recording);
    pack.string(this.#rareParts(closed));
  }

  #writeResponse({ sent, response, recording }: ClosedRecording): void {
    const pack = this.#pack;
    pack.number(sent === undefined ? 0 : 1);
    if (sent === undefined) return;
    this.#responseHeaders.write(sent.headers, recording.token);
    pack.number(sent.bodyBytes);
    const contentType = findField(sent.headers, 'content-type') ?? '';
    const { responseHead } = recording;
    const own = response?.body;
    if (responseHead !== undefined) {
      const { bytes } = responseHead;
      this.#responseBody.write({ content: responseHead.content(), bytes, contentType });
    } else if (typeof own === 'string' || own instanceof Uint8Array) {
      // A body that was not sent (HEAD, 304) is not shown as if it had been.
      this.#responseBody.write(
        sent.bodyBytes === 0 ? undefined : { content: own, bytes: sent.bodyBytes, contentType },
      );
    } else this.#responseBody.write(undefined);
  }

  #writeRoute({
    routeNote,
    parameters,
    traceOmitted,
    controllerNote,
    arguments: args,
  }: RequestRecording): void {
    const pack = this.#pack;
    pack.number(
      routeNote === undefined ? routeCode.none : traceOmitted ? routeCode.untraced : routeCode.known,
    );
    if (routeNote !== undefined) {
      pack.word(routeNote.path);
      this.#writeNamed(parameters);
    }
    pack.word(controllerNote?.name ?? null);
    if (controllerNote === undefined) return;
    pack.word(controllerNote.file ?? null);
    pack.number(controllerNote.line ?? 0);
    this.#writeNamed(args);
  }

  #writeNamed(values: readonly TakenArgument[]): void {
    this.#pack.number(values.length);
    for (const { name, value } of values) {
      this.#pack.word(name);
      writeValue(this.#pack, value);
    }
  }

  #writeLogs({ recording, startedAt }: ClosedRecording): void {
    const { logs } = recording;
    const pack = this.#pack;
    pack.number(logs?.length ?? 0);
    for (const { record, message, context } of logs ?? []) {
      // Since the beginning of the request; the clock may have been put back in the meantime.
      pack.number(Math.max(0, Math.round((record.time - startedAt) * 1000)));
      pack.word(record.level);
      pack.word(record.channel.slice(0, 200));
      const clean = this.#messages.take(message);
      if (clean.length < 200) pack.word(clean);
      else {
        pack.number(1);
        pack.string(clean);
      }
      this.#writeContext(context);
    }
  }

  #writeContext(context: Picture | undefined): void {
    this.#pack.number(context === undefined ? contextCode.none : contextCode.picture);
    if (context !== undefined) writePicture(this.#pack, context);
  }

  #writeSections({ sections, start }: RequestRecording): void {
    this.#pack.number(sections?.length ?? 0);
    for (const { name, data } of sections ?? []) {
      this.#pack.word(name.length > 100 ? name.slice(0, 100) : name);
      if (typeof data === 'string') this.#pack.string(data);
      else {
        // No JSON text is empty: where its length would be, this tells that there is none.
        this.#pack.number(0);
        this.#pack.number(data.form);
        data.write(this.#pack, start);
      }
    }
  }

  #rareParts({ recording, slots }: ClosedRecording): string {
    const { exception, trace, routeNote, children, request, logs, logCount } = recording;
    const kept = logs?.length ?? 0;
    const { allow } = routeNote ?? nothing;
    const { rawHead } = request.source;
    const isPlain =
      exception === undefined && trace === null && children === undefined && recording.limits === undefined;
    // Nearly all records under load: nothing rare, nothing made.
    if (isPlain && logCount === kept && slots.dropped === 0 && allow === undefined && rawHead === undefined)
      return '';
    const limits: RecordedLimit[] = [...(recording.limits ?? [])];
    if (logCount > kept) limits.push({ what: 'logs', kept, total: logCount, limit: this.#limits.logs });
    const spans = slots.count;
    if (slots.dropped > 0)
      limits.push({ what: 'timeline', kept: spans, total: spans + slots.dropped, limit: spans });
    const parts: RareParts = {
      ...(exception === undefined ? {} : { exception: packFrames(exception, this.#pack) }),
      ...(trace === null ? {} : { trace }),
      ...(allow === undefined || allow.length === 0 ? {} : { allow }),
      ...(children === undefined ? {} : { children }),
      ...(limits.length === 0 ? {} : { limits }),
      ...(rawHead === undefined ? {} : { rawHead: this.#redactor.text(rawHead.slice(0, 4096)) }),
    };
    return JSON.stringify(parts);
  }
}

const nothing: { readonly allow?: readonly string[] } = {};

function requestBodyOf({ request, requestHead }: RequestRecording): SeenBody | undefined {
  const read = request.readBytes;
  if (read === undefined && requestHead === undefined) return undefined;
  const contentType = findField(request.source.rawHeaders, 'content-type') ?? '';
  if (requestHead !== undefined)
    return { content: requestHead.content(), bytes: requestHead.bytes, contentType };
  return read === undefined ? undefined : { content: read, bytes: read.byteLength, contentType };
}

import type { RecordedCallSite } from '../model/find-location.js';

/** A message on a diagnostics channel. Its fields must be checked, because anyone may publish. */
export type ChannelMessage = Readonly<Record<string, unknown>>;

/** Facts common to all calls to other services. `offsetMs` is negative if the call began before the request. */
export interface CallFacts {
  readonly offsetMs: number;
  readonly durationMs: number;
  readonly error: string | null;
  /** Innermost first. */
  readonly callSite: readonly RecordedCallSite[];
}

const maxFrames = 6;
const maxItems = 50;

/* The functions below read fields from messages that anyone may publish: they check types and bound texts. They do not redact. */

/** Returns the facts common to all calls. `startedAt` is when the request began. */
export function callOf(message: ChannelMessage, startedAt: number): CallFacts {
  const { error, callSite } = message;
  return {
    offsetMs: positiveNumber(message['startedAt']) - startedAt,
    durationMs: positiveNumber(message['durationMs']),
    error: error === undefined || error === null ? null : messageOf(error).slice(0, 1000) || 'failed',
    callSite: callSiteOf(callSite),
  };
}

/** Returns a call site's frames, skipping malformed ones. */
export function callSiteOf(value: unknown): readonly RecordedCallSite[] {
  return messagesOf(value)
    .filter(({ file }) => typeof file === 'string')
    .slice(0, maxFrames)
    .map(({ name, file, line, column }) => ({
      name: typeof name === 'string' ? name.slice(0, 300) : null,
      file: messageText(file, 1000),
      line: countOf(line),
      column: countOf(column),
    }));
}

export function messageOf(error: unknown): string {
  const { message = error } = isMessage(error) ? error : {};
  return typeof message === 'string' ? message : 'failed';
}

export function messageText(value: unknown, length = 500): string {
  return typeof value === 'string' ? value.slice(0, length) : '';
}

/** Returns the objects in a list, up to a maximum number. */
export function messagesOf(value: unknown): readonly ChannelMessage[] {
  return Array.isArray(value) ? value.slice(0, maxItems).filter(isMessage) : [];
}

export function positiveNumber(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

export function countOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

export function countOf(value: unknown): number {
  return countOrNull(value) ?? 0;
}

function isMessage(value: unknown): value is ChannelMessage {
  return typeof value === 'object' && value !== null;
}

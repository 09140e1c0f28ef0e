import { safely } from '#core/coded-error';
import type { CollectedSection } from '../section.js';
import { type LoopBlock, loopWatch, outsideId, type RunTimes } from '../../recording/loop-watch.js';
import { RequestRecording } from '../../recording/request-recording.js';
import { tokenOf } from '../../encoding/token.js';
import { type LoopSection, loopDefinition } from './section.js';

const maxListed = 5;

const minWaitMs = 5;

const minBodyMs = 20;
const minQueuedMs = 20;

/**
 * Requests shorter than this, in milliseconds, are skipped if their code ran all the time, because the spans show as
 * much. A pause or work of the profiler shorter than `minShownMs` is not worth the bytes.
 */
const minKeptMs = 20;
const minShownMs = 0.5;

/**
 * Returns the time spent waiting for the client to send the body, if significant; excludes reads after the response.
 */
function slowBodyOf({ request, startedAt }: RequestRecording): Pick<LoopSection, 'body'> {
  const { startedAt: from = 0, endedAt = 0, waitedMs = 0 } = request.bodyWait ?? {};
  if (waitedMs < minBodyMs) return {};
  return { body: { startMs: from - startedAt, durationMs: endedAt - from, waitedMs } };
}

/** Collects as `loop` when a request's code ran, how long it blocked the event loop, and what else occupied it. */
export const loopCollector: CollectedSection = {
  definition: loopDefinition,
  collect(recording): LoopSection | undefined {
    if (!(recording instanceof RequestRecording)) return undefined;
    const { startedAt, id } = recording;
    const { times } = recording.spans;
    const endedAt = performance.now();
    const { body } = slowBodyOf(recording);
    const queued = safely(() => queuedOf(recording, endedAt), undefined);
    const isShort = endedAt - startedAt < minKeptMs;
    // This is nearly every request under load, so the lists are not made for it.
    if (isShort && body === undefined && queued === undefined && times.own.totalMs <= minShownMs) {
      const pausedMs = loopWatch.pausedMsOf(times, startedAt, endedAt);
      if (pausedMs === undefined || pausedMs <= minShownMs) return undefined;
    }
    const known = loopWatch.timesOf(times, startedAt, endedAt);
    if (known === undefined) return body && { ownMs: 0, waits: [], body };
    const { runs, outside, own, stops } = known;
    const blocks = known.blocks.map((block) => partOf(block, startedAt));
    const owned = blocks.filter(({ by }) => by === id);
    return {
      ownMs: owned.reduce((sum, { durationMs: ms }) => sum + ms, 0),
      ownBlocks: owned.length,
      waits: waitsOf(blocks.filter(({ by }) => by !== id)),
      runs,
      ...(outside.length > 0 && { outside }),
      ...(own.length > 0 && { own }),
      ...(stops.length > 0 && { stops }),
      ...(queued && { queued: queueOf(queued) }),
      ...(body && { body }),
    };
  },
};

/** When a connection's last request ended, by the connection's remote end. */
const lastEnds = new WeakMap<object, number>();

/**
 * Returns how long a request may have waited before it was read. Only requests from a connection can have waited; over
 * HTTP/1.1, where a client sends the next request after the previous response, no longer than since that response.
 */
function queuedOf(recording: RequestRecording, endedAt: number): RunTimes['queued'] {
  const { queued } = recording.spans.times;
  const { peer, httpVersion } = recording.request.source;
  if (peer.port === undefined) return undefined;
  const before = lastEnds.get(peer);
  lastEnds.set(peer, endedAt);
  if (queued === undefined || before === undefined || !httpVersion.startsWith('1')) return queued;
  const ms = Math.min(queued.ms, recording.startedAt - before);
  return ms >= minQueuedMs ? { ...queued, ms } : undefined;
}

type BlockPart = { readonly by: number; readonly startMs: number; readonly durationMs: number };

/** Returns the part of a block within the request, assuming that as much blocked time as possible lies before it. */
function partOf({ by, from, blockedMs }: LoopBlock, startedAt: number): BlockPart {
  const begin = Math.max(from, startedAt);
  return { by, startMs: begin - startedAt, durationMs: Math.max(0, blockedMs - (begin - from)) };
}

function waitsOf(blocks: readonly BlockPart[]): LoopSection['waits'] {
  const byId = new Map<
    number,
    { token: string | null; startMs: number; durationMs: number; blocks: number }
  >();
  for (const { by, startMs, durationMs } of blocks) {
    if (durationMs < minWaitMs) continue;
    const known = byId.get(by);
    if (known === undefined) byId.set(by, { token: nameOf(by), startMs, durationMs, blocks: 1 });
    else {
      known.durationMs += durationMs;
      known.blocks++;
    }
  }
  return [...byId.values()].sort((a, b) => b.durationMs - a.durationMs).slice(0, maxListed);
}

function queueOf({ by, isOne, ms }: NonNullable<RunTimes['queued']>): NonNullable<LoopSection['queued']> {
  return { token: nameOf(by), ms, ...(!isOne && { others: true as const }) };
}

function nameOf(id: number): string | null {
  return id === outsideId ? null : tokenOf(id);
}

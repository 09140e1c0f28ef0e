import type { LogLevel } from '#log';
import { currentRecording } from '#profiler';
import { noteCallSites } from '#errors';
import { isReportedAbove } from '#scope';
import { ownData } from '../source/own-data.js';

/** Puts a line of the application's own logger into the record of the request that it was written for, with the place that wrote it. */
export function writeLine({
  level,
  channel,
  message,
  context,
}: {
  readonly level: LogLevel;
  readonly channel: string;
  readonly message: string;
  readonly context?: unknown;
}): void {
  const recording = currentRecording();
  if (recording === undefined || isReportedAbove()) return;
  const [place] = noteCallSites(writeLine, { depth: 30, limit: 1 })();
  const source = place === undefined ? undefined : `${place.file}:${place.line}:${place.column}`;
  recording.log({
    time: Date.now(),
    level,
    channel,
    message,
    context: source === undefined ? context : withSource(context, source),
  });
}

/** The fields of a context, anything else under a name of its own. */
function withSource(context: unknown, source: string): object {
  if (context === undefined) return { source };
  return { ...(ownData(context) ?? { values: context }), source };
}

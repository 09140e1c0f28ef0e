import { channel } from 'node:diagnostics_channel';
import { HttpRequest } from '#core/http';
import { followResult } from '#core/patches';
import {
  currentRecording,
  nextSpan,
  type Profiler,
  renderTraceparent,
  requestRecording,
  traceOf,
} from '#profiler';
import { runInScope } from '#core/scope';

const run = channel('lookback:jobs:run');

/** The part of the profiler that records jobs, which begin outside of requests. */
export type JobRecorder = Pick<Profiler, 'begin' | 'finish'>;

let findRecorder: (() => JobRecorder) | undefined; // one per process, because jobs run outside of requests

/** Sets the job recorder; undefined stops recording them. */
export function recordJobsBy(find: (() => JobRecorder) | undefined): void {
  findRecorder = find;
}

/** Facts about a job for its record. */
export interface Job {
  readonly queue: string;
  readonly name: string;
  readonly id: unknown;
  readonly attempt: number;
  readonly data: unknown;
  /** The `traceparent` from the request that queued it. */
  readonly traceparent: unknown;
}

/** Records a job as a request with the method JOB, in the trace of the request that queued it. */
export function runJob({ traceparent, ...about }: Job, work: () => unknown): unknown {
  const recorder = findRecorder?.();
  if (recorder === undefined) return work();
  const parts = about.queue === about.name ? [about.queue] : [about.queue, about.name];
  const request = new HttpRequest({
    method: 'JOB',
    target: `/${parts.map(encodeURIComponent).join('/')}`,
    rawHeaders: typeof traceparent === 'string' ? ['traceparent', traceparent] : [],
    httpVersion: '',
    peer: { address: '127.0.0.1', port: 0, encrypted: false },
  });
  const recording = recorder.begin(request);
  request.scope.set(requestRecording, recording);
  recording.route({ name: parts.join(' '), path: null });
  const over = (status: number, result?: unknown): void => {
    runInScope(request.scope, () => run.publish({ ...about, result }));
    recorder.finish(recording, undefined, { status, headers: [], bodyBytes: 0, completed: true });
  };
  return followResult(() => runInScope(request.scope, work), {
    done: (result) => over(200, result),
    failed(error) {
      recording.lateError(error); // no client sees it
      over(500);
    },
  });
}

/** Returns the `traceparent` for a job queued by the current request; undefined outside of recorded requests. */
export function jobTraceparent(): string | undefined {
  const recording = currentRecording();
  return recording === undefined ? undefined : renderTraceparent(nextSpan(traceOf(recording.request)));
}

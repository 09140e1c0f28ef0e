import type { Command } from '#command';
import type { Around, ValueResolver } from '#controller';
import type { KernelListener } from '#kernel';
import type { Collector, Panel, Recording, RecordSink } from '#profiler';
import type { AppRoute } from './route-attribute.js';

/**
 * Observes events outside of the kernel (a diagnostics channel, a hook of a library) and adds them to the recording of the
 * current request: `currentRecording()?.section('mail', …)`, which is undefined outside of requests. Returns a function that
 * stops observing.
 */
export type Tap = (currentRecording: () => Recording | undefined) => () => void;

/**
 * A set of additions to an application, defined by a house or by an application. Security, locale and persistence are
 * extensions too. Pass it to `createApp({ extensions })` or to `app.use`.
 */
export interface Extension {
  readonly name: string;
  readonly listeners?: readonly KernelListener[];
  /** Routes, tried after those in the options of `createApp` and before those added to the application later. */
  readonly routes?: readonly AppRoute[];
  /** Layers around the controller of every route, inside the layers of preceding extensions. */
  readonly around?: readonly Around[];
  /** Resolvers that controllers use by name with `extensionArgument(name)`. */
  readonly resolvers?: readonly ValueResolver[];
  /** Collectors that add data to each record. Not for `app.use`, because the profiler is created with the application. */
  readonly collectors?: readonly Collector[];
  /** Sinks that receive each record of this process when it is closed. Not for `app.use`, like collectors. */
  readonly sinks?: readonly RecordSink[];
  /** Panels that are shown with each record. Not for `app.use`, like collectors. */
  readonly panels?: readonly Panel[];
  /** Taps that are started if the application records requests, and stopped when it closes. */
  readonly taps?: readonly Tap[];
  /** Paths, as sent, whose requests are not recorded, e.g. of health checks. */
  readonly unrecordedPaths?: readonly string[];
  /** Returns commands; same-named commands of the application replace them. */
  commands?(): readonly Command[] | Promise<readonly Command[]>;
  /** Called when the application begins to close, while it still listens and answers requests in flight. */
  stopping?(): void;
  /** Called after the server is closed. Extensions are closed in reverse order. */
  close?(): void | Promise<void>;
}

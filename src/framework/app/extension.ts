import type { Command } from '#command';
import type { Around, ValueResolver } from '#controller';
import type { KernelListener } from '#kernel';
import type { Collector, Panel, Recording, RecordSink } from '#profiler';
import type { AppRoute } from './route-attribute.js';

/**
 * Listens for facts that belong to requests (a diagnostics channel, a library's hook) and writes them to the recording of the
 * request that they happen in: `currentRecording()?.section('mail', …)`; undefined outside of requests. Returns what stops it.
 */
export type Tap = (currentRecording: () => Recording | undefined) => () => void;

/**
 * Additions to the kernel as one value, by a higher house or an application: security, locale and persistence are
 * extensions too. Pass it to `createApp({ extensions })` or to `app.use`.
 */
export interface Extension {
  readonly name: string;
  readonly listeners?: readonly KernelListener[];
  /** Tried after the routes in the options of `createApp`, before those that are added to the application later. */
  readonly routes?: readonly AppRoute[];
  /** Layers around the controller of every route, inside those of extensions before. */
  readonly around?: readonly Around[];
  /** Found by their name, by controllers that take `extensionArgument(name)`. */
  readonly resolvers?: readonly ValueResolver[];
  /** Add data to each record. The profiler is created with the application: not for `app.use`. */
  readonly collectors?: readonly Collector[];
  /** Receive each record of this process when it is closed. Not for `app.use`, like collectors. */
  readonly sinks?: readonly RecordSink[];
  /** Shown with each record. Not for `app.use`, like collectors. */
  readonly panels?: readonly Panel[];
  /** Started with an application that records, and stopped when it closes. */
  readonly taps?: readonly Tap[];
  /** Paths, as sent, for which no records are kept: frequent requests of no interest. */
  readonly unrecordedPaths?: readonly string[];
  /** Its commands; a command of the application with the same name replaces one. */
  commands?(): readonly Command[] | Promise<readonly Command[]>;
  /** Called when the application begins to close: it still listens, and answers requests in flight. */
  stopping?(): void;
  /** Called when the server is closed; extensions are closed in the reverse order. */
  close?(): void | Promise<void>;
}

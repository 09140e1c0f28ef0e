import type { Command } from '#command';
import type { Around } from '#controller';
import type { KernelListener } from '#kernel';
import type { Collector, Panel } from '#profiler';
import type { AppRoute } from './route-attribute.js';

/**
 * What a house above the kernel, or an application, adds to it as one value: security, locale and persistence are
 * extensions like any other. Given to `createApp({ extensions })` or to `app.use`.
 */
export interface Extension {
  readonly name: string;
  readonly listeners?: readonly KernelListener[];
  /** Tried after the routes in the options of `createApp`, before those that are added to the application later. */
  readonly routes?: readonly AppRoute[];
  /** Layers around the controller of every route, inside those of extensions before. */
  readonly around?: readonly Around[];
  /** Kept with each record. The profiler is made with the application: not for `app.use`. */
  readonly collectors?: readonly Collector[];
  /** Shown with each record. Not for `app.use`, like collectors. */
  readonly panels?: readonly Panel[];
  /** Paths, as sent, of which no record is kept: what is asked every few seconds and tells nothing. */
  readonly unrecordedPaths?: readonly string[];
  /** Its commands; one of the application with the same name takes the place. */
  commands?(): readonly Command[] | Promise<readonly Command[]>;
  /** Called when the application begins to close: it still listens, and answers what is in flight. */
  stopping?(): void;
  /** Called when the server is closed; extensions are closed in the reverse order. */
  close?(): void | Promise<void>;
}

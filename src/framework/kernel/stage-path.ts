import { isPromise } from 'node:util/types';
import type { EventType } from '#core/events';
import type { HttpResponse } from '#core/http';
import type { KernelExchange } from './exchange/kernel-exchange.js';

/** One request stage. Its functions pass values through the exchange. */
export interface Stage<Subject = unknown> {
  /** The name of its event or its work. */
  readonly name: string;
  /** Whether an earlier stage has made this one unnecessary. */
  readonly isSkipped: (exchange: KernelExchange) => boolean;
  /** Creates the event or the work's input. */
  readonly open: (exchange: KernelExchange) => Subject;
  /** Dispatches the event or does the work; returns a promise only if part of it is asynchronous. */
  readonly run: (exchange: KernelExchange, subject: Subject) => unknown;
  /** Stores the outcome: the event as the listeners left it, or the work's result. */
  readonly set: (exchange: KernelExchange, subject: Subject, result: unknown) => void;
  /** Receives errors from the three functions above. Does not throw. */
  readonly fail: (exchange: KernelExchange, error: unknown) => void;
}

type StageDefinition<Subject> = Pick<Stage<Subject>, 'isSkipped' | 'set'> & Partial<Stage<Subject>>;

/**
 * Creates a stage that dispatches an event until a listener throws, unless `run` differs. Errors are left to an
 * exception stage.
 */
export function eventStage<Event>(
  event: EventType<Event>,
  definition: StageDefinition<Event> & Pick<Stage<Event>, 'open'>,
): Stage {
  const stage: Stage<Event> = {
    name: event.name,
    run: ({ services }, opened) => services.dispatcher.dispatch(event, opened),
    fail: leaveUnanswered,
    ...definition,
  };
  return stage as Stage; // passStages gives a stage only what its own `open` has created
}

/** Creates a stage that calls something other than listeners. Errors are left to an exception stage. */
export function workStage<Result>(
  name: string,
  definition: {
    readonly isSkipped: Stage['isSkipped'];
    readonly run: (exchange: KernelExchange) => Result | Promise<Result>;
    readonly set: (exchange: KernelExchange, result: Result) => void;
    readonly fail?: Stage['fail'];
  },
): Stage {
  const { isSkipped, run, set, fail = leaveUnanswered } = definition;
  return {
    name,
    isSkipped,
    open: nothing,
    run,
    set: (exchange, _, result) => set(exchange, result as Result), // passStages gives a stage only what its own `run` has returned
    fail,
  };
}

/** Stages in order, and the final result. */
export interface StagePath {
  readonly stages: readonly Stage[];
  readonly end: (exchange: KernelExchange) => HttpResponse;
}

/**
 * Passes an exchange through a path's stages, starting at `from`. Synchronous as long as the stages are. Only this
 * function and `passLater` wait, with one promise for each asynchronous stage: while asynchronous hooks are active,
 * every additional promise costs as much as a listener.
 */
export function passStages(
  path: StagePath,
  exchange: KernelExchange,
  from = 0,
): HttpResponse | Promise<HttpResponse> {
  const { stages, end } = path;
  for (let at = from; at < stages.length; at++) {
    const stage = stages[at];
    if (stage === undefined || stage.isSkipped(exchange)) continue;
    try {
      const subject = stage.open(exchange);
      const result = stage.run(exchange, subject);
      if (typeof result === 'object' && isPromise(result))
        return passLater(result, { path, exchange, at, stage, subject });
      stage.set(exchange, subject, result);
    } catch (error) {
      stage.fail(exchange, error);
    }
  }
  return end(exchange);
}

/** An asynchronous stage, and its position in the path. */
interface PendingStage {
  readonly path: StagePath;
  readonly exchange: KernelExchange;
  readonly at: number;
  readonly stage: Stage;
  readonly subject: unknown;
}

/**
 * Continues when an asynchronous stage is done. A separate function, because closures would cost synchronous requests
 * an object.
 */
function passLater(
  pending: Promise<unknown>,
  { path, exchange, at, stage, subject }: PendingStage,
): Promise<HttpResponse> {
  return pending.then(
    (result) => {
      try {
        stage.set(exchange, subject, result);
      } catch (error) {
        stage.fail(exchange, error);
      }
      return passStages(path, exchange, at + 1);
    },
    (error: unknown) => {
      stage.fail(exchange, error);
      return passStages(path, exchange, at + 1);
    },
  );
}

function leaveUnanswered(exchange: KernelExchange, error: unknown): void {
  exchange.unanswered = { error };
}

function nothing(): undefined {}

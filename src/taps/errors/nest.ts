import { currentRecording } from '#profiler';
import { replaceMethod } from '#patches';

/** The handler of Nest's exceptions, or the prototype of all: it answers what filters, guards, pipes and controllers threw, and hands on nothing. */
export function tapNest(handler: object): (() => void) | undefined {
  return replaceMethod(
    handler,
    'next',
    (former) =>
      function next(this: unknown, ...args) {
        currentRecording()?.error(args[0]);
        return Reflect.apply(former, this, args);
      },
  );
}

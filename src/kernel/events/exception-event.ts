import type { EventType } from '#events';
import { defineEvent } from '#events';
import type { HttpRequest, HttpResponse } from '#http';

/** Something was thrown. The first listener that sets a response ends the stage. */
export interface ExceptionEvent {
  readonly request: HttpRequest;
  /** Anything can be thrown; a listener may put another error in its place. */
  error: unknown;
  response: HttpResponse | undefined;
}

export const exceptionEvent: EventType<ExceptionEvent> = defineEvent<ExceptionEvent>('exception', {
  isStopped: (event) => event.response !== undefined,
});

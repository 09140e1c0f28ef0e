import type { EventType } from '#events';
import { defineEvent } from '#events';
import type { HttpRequest, HttpResponse } from '#http';

/** A request begins. A listener that sets the response ends the stage, and no controller is called. */
export interface RequestEvent {
  readonly request: HttpRequest;
  response: HttpResponse | undefined;
}

export const requestEvent: EventType<RequestEvent> = defineEvent<RequestEvent>('request', {
  isStopped: (event) => event.response !== undefined,
});

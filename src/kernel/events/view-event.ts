import type { EventType } from '#events';
import { defineEvent } from '#events';
import type { HttpRequest, HttpResponse } from '#http';

/** The controller returned something that is no response; a listener makes one of it. */
export interface ViewEvent {
  readonly request: HttpRequest;
  readonly result: unknown;
  response: HttpResponse | undefined;
}

export const viewEvent: EventType<ViewEvent> = defineEvent<ViewEvent>('view', {
  isStopped: (event) => event.response !== undefined,
});

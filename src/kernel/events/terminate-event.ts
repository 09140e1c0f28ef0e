import type { EventType } from '#events';
import { defineEvent } from '#events';
import type { HttpRequest, HttpResponse, SentResponse } from '#http';

/** The last byte has left, or the client has. */
export interface TerminateEvent {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly sent: SentResponse;
}

export const terminateEvent: EventType<TerminateEvent> = defineEvent<TerminateEvent>('terminate');

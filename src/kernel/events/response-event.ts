import type { EventType } from '#events';
import { defineEvent } from '#events';
import type { HttpRequest, HttpResponse } from '#http';

/** There is a response. Listeners may change it or put another one in its place. */
export interface ResponseEvent {
  readonly request: HttpRequest;
  response: HttpResponse;
}

export const responseEvent: EventType<ResponseEvent> = defineEvent<ResponseEvent>('response');

import type { EventType } from '#events';
import { defineEvent } from '#events';
import type { HttpRequest } from '#http';

/** The request is over as far as the kernel is concerned; the response is about to be sent. */
export interface FinishRequestEvent {
  readonly request: HttpRequest;
}

export const finishRequestEvent: EventType<FinishRequestEvent> =
  defineEvent<FinishRequestEvent>('finish_request');

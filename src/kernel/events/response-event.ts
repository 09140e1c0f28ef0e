import type { EventType } from '#events';
import { defineEvent } from '#events';
import type { HttpRequest, HttpResponse } from '#http';

/** There is a response. Listeners may change it or put another one in its place, of which the event takes a copy. */
export interface ResponseEvent {
  readonly request: HttpRequest;
  response: HttpResponse;
}

/** Keeps responses apart: what is changed in one request's is never in an object that another request may be given. */
export class OwnResponseEvent implements ResponseEvent {
  readonly request: HttpRequest;
  #response: HttpResponse;

  constructor(request: HttpRequest, response: HttpResponse) {
    this.request = request;
    this.#response = response.copy();
  }

  get response(): HttpResponse {
    return this.#response;
  }

  /** The response that is given is sealed: a change of it would be lost, so it throws. */
  set response(response: HttpResponse) {
    if (response === this.#response) return;
    this.#response = response.copy();
    response.seal();
  }
}

export const responseEvent: EventType<ResponseEvent> = defineEvent<ResponseEvent>('response');

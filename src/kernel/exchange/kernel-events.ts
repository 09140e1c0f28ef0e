import { type EventType, defineEvent } from '#events';
import type { HttpRequest, HttpResponse, SentResponse } from '#http';
import type { ResolvedController } from '#controller';

/** A request begins. A listener that sets the response ends the stage, and no controller is called. */
export interface RequestEvent {
  readonly request: HttpRequest;
  response: HttpResponse | undefined;
}

export const requestEvent: EventType<RequestEvent> = defineEvent<RequestEvent>('request', {
  isStopped: (event) => event.response !== undefined,
});

/** The controller was found. A listener may put another one in its place. */
export interface ControllerEvent {
  readonly request: HttpRequest;
  controller: ResolvedController;
}

export const controllerEvent: EventType<ControllerEvent> = defineEvent<ControllerEvent>('controller');

/** The arguments are resolved. Listeners may check or change them, or the controller. */
export interface ControllerArgumentsEvent {
  readonly request: HttpRequest;
  controller: ResolvedController;
  arguments: unknown[];
}

export const controllerArgumentsEvent: EventType<ControllerArgumentsEvent> =
  defineEvent<ControllerArgumentsEvent>('controller_arguments');

/** The controller returned something other than a response; a listener turns it into one. */
export interface ViewEvent {
  readonly request: HttpRequest;
  readonly result: unknown;
  response: HttpResponse | undefined;
}

export const viewEvent: EventType<ViewEvent> = defineEvent<ViewEvent>('view', {
  isStopped: (event) => event.response !== undefined,
});

/** There is a response. Listeners may change it or replace it; the event copies the replacement. */
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

/** The request is over as far as the kernel is concerned; the response is about to be sent. */
export interface FinishRequestEvent {
  readonly request: HttpRequest;
}

export const finishRequestEvent: EventType<FinishRequestEvent> =
  defineEvent<FinishRequestEvent>('finish_request');

/** The last byte has left, or the client has. */
export interface TerminateEvent {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly sent: SentResponse;
}

export const terminateEvent: EventType<TerminateEvent> = defineEvent<TerminateEvent>('terminate');

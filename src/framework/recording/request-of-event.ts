import type { EventType } from '#events';
import type { HttpRequest } from '#http';
import type {
  ControllerArgumentsEvent,
  ControllerEvent,
  FinishRequestEvent,
  RequestEvent,
  ResponseEvent,
  TerminateEvent,
  ViewEvent,
} from '#kernel';
import {
  controllerArgumentsEvent,
  controllerEvent,
  finishRequestEvent,
  requestEvent,
  responseEvent,
  terminateEvent,
  viewEvent,
} from '#kernel';

// One function for each kind: the engine remembers for each place that reads what it has read there, and a place that
// reads objects of many shapes is slow.
const ofRequest = (event: RequestEvent): HttpRequest => event.request;
const ofController = (event: ControllerEvent): HttpRequest => event.request;
const ofArguments = (event: ControllerArgumentsEvent): HttpRequest => event.request;
const ofView = (event: ViewEvent): HttpRequest => event.request;
const ofResponse = (event: ResponseEvent): HttpRequest => event.request;
const ofFinish = (event: FinishRequestEvent): HttpRequest => event.request;
const ofTerminate = (event: TerminateEvent): HttpRequest => event.request;
const ofOther = (event: { readonly request?: HttpRequest }): HttpRequest | undefined => event.request;

/**
 * The request that an event is about; undefined where it is about none. The type object of an event is the proof of
 * what the event is.
 */
export function requestOfEvent(type: EventType<never>, event: unknown): HttpRequest | undefined {
  if (type === requestEvent) return ofRequest(event as RequestEvent); // its type object says so
  if (type === controllerEvent) return ofController(event as ControllerEvent); // its type object says so
  if (type === controllerArgumentsEvent) return ofArguments(event as ControllerArgumentsEvent); // its type object says so
  if (type === viewEvent) return ofView(event as ViewEvent); // its type object says so
  if (type === responseEvent) return ofResponse(event as ResponseEvent); // its type object says so
  if (type === finishRequestEvent) return ofFinish(event as FinishRequestEvent); // its type object says so
  if (type === terminateEvent) return ofTerminate(event as TerminateEvent); // its type object says so
  return ofOther(event as object); // an event is an object
}

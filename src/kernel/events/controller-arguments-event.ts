import type { EventType } from '#events';
import { defineEvent } from '#events';
import type { ResolvedController } from '#controller';
import type { HttpRequest } from '#http';

/** The arguments are resolved. Listeners may check or change them, or the controller. */
export interface ControllerArgumentsEvent {
  readonly request: HttpRequest;
  controller: ResolvedController;
  arguments: unknown[];
}

export const controllerArgumentsEvent: EventType<ControllerArgumentsEvent> =
  defineEvent<ControllerArgumentsEvent>('controller_arguments');

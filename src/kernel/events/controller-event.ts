import type { EventType } from '#events';
import { defineEvent } from '#events';
import type { ResolvedController } from '#controller';
import type { HttpRequest } from '#http';

/** The controller was found. A listener may put another one in its place. */
export interface ControllerEvent {
  readonly request: HttpRequest;
  controller: ResolvedController;
}

export const controllerEvent: EventType<ControllerEvent> = defineEvent<ControllerEvent>('controller');

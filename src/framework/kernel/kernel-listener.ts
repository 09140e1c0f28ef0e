import {
  callable,
  checkOptions,
  checkValue,
  number,
  type OptionsSchema,
  optionsSchema,
  type OptionType,
  optionType,
  text,
} from '#core/options';
import {
  type Dispatcher,
  type EventType,
  type Listener,
  isOwnEventType,
  type ListenerOptions,
} from '#core/events';
import { captureCallSites } from '#core/errors';
import { kernelErrors } from './exchange/error-codes.js';

/** A listener with its name and priority, as a module passes it to the framework. */
export interface KernelListener {
  readonly name: string;
  readonly priority: number;
  /** Adds the listener to a dispatcher. The returned function removes it. */
  addTo(dispatcher: Dispatcher): () => void;
}

export const listenerSchema: OptionsSchema<ListenerOptions> = optionsSchema<ListenerOptions>({
  priority: number(),
  name: text,
  location: callable(),
});

/** Declares a listener for one event, with its name and priority. */
export function kernelListener<Event>(
  type: EventType<Event>,
  listener: Listener<Event>,
  options: { name: string; priority: number },
): KernelListener {
  checkListener('kernelListener()', type, listener);
  const sites = captureCallSites(kernelListener, { depth: 1, limit: 1 });
  const location = (): ReturnType<typeof sites>[number] | undefined => sites()[0];
  return { ...options, addTo: (dispatcher) => dispatcher.on(type, listener, { ...options, location }) };
}

const eventType: OptionType<EventType<never>> = optionType(
  'an event, such as requestEvent',
  (value) => typeof value === 'object' && value !== null && typeof Reflect.get(value, 'name') === 'string',
);
const listenerFunction: OptionType<Listener<never>> = callable();

function checkListener(location: string, type: EventType<never>, listener: Listener<never>): void {
  checkValue(location, 'event', type, eventType);
  checkValue(location, 'listener', listener, listenerFunction);
}

/** Wraps `dispatcher.on`: in another copy of the package, an event's slot belongs to an unrelated event here. */
export function onOwnEvents(dispatcher: Dispatcher): Dispatcher['on'] {
  return (type, listener, options) => {
    checkListener('app.on()', type, listener);
    checkOptions(`The listener of ${type.name}`, options, listenerSchema);
    if (isOwnEventType(type)) return dispatcher.on(type, listener, options);
    throw kernelErrors.create('KERNEL_OTHER_COPY', {
      name: options?.name ?? listener.name,
      event: type.name,
    });
  };
}

/** Adds listeners to a dispatcher. Throws `KERNEL_OTHER_COPY` for a listener created by another copy of the package. */
export function addKernelListeners(dispatcher: Dispatcher, listeners: Iterable<KernelListener>): void {
  const checked: Dispatcher = { ...dispatcher, on: onOwnEvents(dispatcher) };
  for (const listener of listeners) listener.addTo(checked);
}

/** Priorities of the built-in listeners. Higher priorities run first; the application's listeners default to 0. */
export const kernelPriority = {
  request: {
    requestId: 512,
    health: 320, // before the host is validated, because probes use an address as the host
    validate: 256,
    preflight: 240, // before routing and firewall, because a preflight has neither a route nor credentials
    rateLimit: 232, // early, so that refusals are cheap
    persistenceBefore: 192,
    router: 32,
    locale: 16,
    rewrite: 14,
    persistenceAfter: 10,
    firewall: 8,
    rateLimitOfUser: 7,
    files: 4, // access rules apply to files too
  },
  controllerArguments: { isGranted: -20 },
  view: { result: -128 },
  response: {
    rememberMe: 0,
    contentLanguage: -10,
    webHeaders: -20,
    session: -100,
    robots: -255,
    requestId: -256,
    etag: -400,
    compression: -450,
    debugToken: -512,
    persistence: -1024,
  },
  exception: { persistence: 8192, recording: 4096, security: 1, log: -64, errorPage: -128 },
  terminate: { persistence: -512 },
} as const;

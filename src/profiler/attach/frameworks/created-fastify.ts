import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Undo } from '#core/patches';

type Follower = (instance: object) => void;

// Module state, because the channel belongs to the process.

/** Instances created before anyone follows them. Weak, because a program may drop those that never listen. */
const waiting: WeakRef<object>[] = [];
const maxWaiting = 100;
/** The watches of this process. */
const followers = new Set<Follower>();
/** Whether instances are collected before the first follower. */
let isCollecting = false;
/** Whether `take` is subscribed to Fastify's channel. */
let isListening = false;

/**
 * Collects the Fastify instances that this process creates. Each is published on a diagnostics channel, also by a copy
 * in a bundle, which is not among Node's loaded modules.
 */
export function collectFastify(): void {
  isCollecting = true;
  listen();
}

/** Stops collecting instances; those collected are forgotten. */
export function forgetFastify(): void {
  isCollecting = false;
  waiting.length = 0;
  listen();
}

/** Calls a function with each instance collected so far, and with each one created until the result is called. */
export function followFastify(follow: Follower): Undo {
  for (const reference of waiting.splice(0)) {
    const instance = reference.deref();
    if (instance !== undefined) follow(instance);
  }
  isCollecting = false;
  followers.add(follow);
  listen();
  return () => {
    followers.delete(follow);
    listen();
  };
}

const channel = 'fastify.initialization';

function listen(): void {
  const isNeeded = isCollecting || followers.size > 0;
  if (isNeeded === isListening) return;
  isListening = isNeeded;
  if (isNeeded) subscribe(channel, take);
  else unsubscribe(channel, take);
}

function take(message: unknown): void {
  const { fastify } = message as { readonly fastify?: unknown }; // what Fastify publishes
  if (typeof fastify !== 'object' || fastify === null) return;
  for (const follow of followers) follow(fastify);
  if (followers.size === 0 && waiting.length < maxWaiting) waiting.push(new WeakRef(fastify));
}

import { HttpRequest, HttpResponse } from '../../dist/src/index.js';
import { registerSpan } from '../../dist/src/profiler.js';
import { visitorSource } from './visitors.mjs';

const stages = ['request', 'controller', 'controller_arguments', 'view', 'response', 'finish_request'];
const spans = stages.map((name) => registerSpan({ name, category: 'stage' }));
const listeners = Array.from({ length: 18 }, (_, index) =>
  registerSpan({ name: `listener ${index}`, event: 'request', priority: index, category: 'listener' }),
);
const headers = ['Content-Type', 'application/json', 'X-Robots-Tag', 'noindex', 'Date', 'today'];
const note = { name: 'hello', path: '/hello/{name}' };
const body = '{"hello":"world"}';
const peer = { address: '127.0.0.1', port: 50_000, encrypted: false };
const sources = Array.from({ length: 4096 }, (_, number) => ({ ...visitorSource(number), peer }));
let made = 0;

/** The next visitor's request from its first to its last byte, as the framework reports it to a profiler; returns its token. */
export function recordOne(profiler) {
  const request = new HttpRequest(sources[made++ % sources.length]);
  const recording = profiler.begin(request, { origin: 'app' });
  for (const stage of spans) {
    const place = recording.enter(stage);
    if (stage === spans[0]) for (const listener of listeners) recording.leave(recording.enter(listener));
    recording.leave(place);
  }
  recording.route(note, { name: 'world' });
  recording.controller({ name: 'hello' }, [request], ['context']);
  const response = HttpResponse.json({ hello: 'world' });
  profiler.finish(recording, response, { status: 200, headers, bodyBytes: body.length, completed: true });
  return recording.token;
}

import { HttpRequest, HttpResponse } from '../../dist/src/index.js';
import { registerSpan } from '../../dist/src/profiler.js';
import { browserSource } from './browser-source.mjs';

const stages = ['request', 'controller', 'controller_arguments', 'view', 'response', 'finish_request'];
const spans = stages.map((name) => registerSpan({ name, category: 'stage' }));
const listeners = Array.from({ length: 18 }, (_, index) =>
  registerSpan({ name: `listener ${index}`, event: 'request', priority: index, category: 'listener' }),
);
const headers = ['Content-Type', 'application/json', 'X-Robots-Tag', 'noindex', 'Date', 'today'];
const note = { name: 'hello', path: '/hello/{name}' };
const body = '{"hello":"world"}';
const sources = new Map();

/** One request from its first to its last byte, as the framework tells a profiler of it; gives its token. */
export function recordOne(profiler, path) {
  let source = sources.get(path);
  if (source === undefined) sources.set(path, (source = browserSource(path)));
  const request = new HttpRequest(source);
  const recording = profiler.begin(request, { bucket: 'app' });
  for (const stage of spans) {
    const place = recording.enter(stage);
    if (stage === spans[0])
      for (const listener of listeners) recording.leave(recording.enter(listener, true));
    recording.leave(place);
  }
  recording.route(note, { name: 'world' });
  recording.controller({ name: 'hello' }, [request], ['context']);
  const response = HttpResponse.json({ hello: 'world' });
  profiler.finish(recording, response, { status: 200, headers, bodyBytes: body.length, completed: true });
  return recording.token;
}

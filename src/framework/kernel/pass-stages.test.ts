import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Around, resolveController, type ResolvedController } from '#framework/controller';
import { createDispatcher, type EventType } from '#core/events';
import { HttpRequest, HttpResponse } from '#core/http';
import { createLogger } from '#core/log';
import { compileRoutes, createRoutes } from '#core/routing';
import { createKernel } from './create-kernel.js';
import { kernelPriority } from './kernel-listener.js';
import { requestPath } from './pass-stages.js';
import { createErrorListener, createRouterListener, viewListener } from './listeners/built-in-listeners.js';
import {
  controllerArgumentsEvent,
  controllerEvent,
  exceptionEvent,
  finishRequestEvent,
  requestEvent,
  responseEvent,
  terminateEvent,
  viewEvent,
} from './exchange/kernel-exchange.js';

const stages = {
  request: requestEvent,
  controller: controllerEvent,
  arguments: controllerArgumentsEvent,
  view: viewEvent,
  response: responseEvent,
  finish: finishRequestEvent,
  exception: exceptionEvent,
  terminate: terminateEvent,
};

type Stage = keyof typeof stages;

/** What a listener, a layer or the controller does, and whether it is synchronous. */
interface Deed {
  readonly does: 'pass' | 'answer' | 'throw';
  readonly isAsync: boolean;
}

interface Plan {
  readonly listeners: readonly (Deed & { readonly stage: Stage; readonly priority: number })[];
  readonly layers: readonly Deed[];
  readonly controller: Deed & { readonly gives: 'text' | 'response' | 'nothing' };
  readonly path: string;
}

interface Outcome {
  readonly status: number;
  readonly body: unknown;
  readonly headers: readonly string[];
  readonly trace: readonly string[];
  readonly isAsync: boolean;
}

async function play(plan: Plan): Promise<Outcome> {
  const dispatcher = createDispatcher();
  const trace: string[] = [];
  const log = createLogger({ handlers: [{ handle: ({ message }) => void trace.push(`log ${message}`) }] });
  const act = (
    name: string,
    { does, isAsync }: Deed,
    answer: () => unknown,
    pass: () => unknown,
  ): unknown => {
    const work = (): unknown => {
      trace.push(name);
      if (does === 'throw') throw new Error(`thrown by ${name}`);
      return does === 'answer' ? answer() : pass();
    };
    return isAsync ? Promise.resolve().then(work) : work();
  };
  const routes = createRoutes([
    {
      name: 'known',
      path: '/known',
      methods: 'GET',
      target: () =>
        act(
          'the controller',
          plan.controller,
          () => undefined,
          () => {
            const { gives } = plan.controller;
            return gives === 'text' ? 'text' : gives === 'response' ? HttpResponse.text('own') : undefined;
          },
        ),
    },
  ]);
  const compiled = compileRoutes(routes);
  createRouterListener({ routes: () => compiled, log }).addTo(dispatcher);
  viewListener.addTo(dispatcher);
  const render = (error: unknown): HttpResponse => HttpResponse.text(String(error), { status: 500 });
  createErrorListener({ render }).addTo(dispatcher);
  for (const [at, { stage, priority, ...deed }] of plan.listeners.entries()) {
    const name = `${stage} ${at}`;
    const answer = (event: { response?: HttpResponse }): void => {
      if ('response' in event && stage !== 'terminate') event.response = HttpResponse.text(`by ${name}`);
    };
    // A listener only receives its own event.
    const type = stages[stage] as EventType<{ response?: HttpResponse }>; // the part they share
    const listener = (event: { response?: HttpResponse }): void | Promise<void> =>
      act(
        name,
        deed,
        () => answer(event),
        () => undefined,
      ) as void | Promise<void>; // listeners return nothing
    dispatcher.on(type, listener, { priority, name });
  }
  const around = plan.layers.map((deed, at): Around => {
    const layer: Around = (_request, next) =>
      act(
        `layer ${at}`,
        deed,
        () => HttpResponse.text(`by layer ${at}`),
        async () => {
          const response = await next();
          response.headers.append('X-Layer', String(at));
          return response;
        },
      ) as HttpResponse | Promise<HttpResponse>; // the results of the two functions above
    return layer;
  });
  const controllerOf = (route: { name: string; target: unknown }): ResolvedController =>
    resolveController(route.target, {
      route: route.name,
      arguments: [],
      context: { name: 'context', resolve: () => null },
      instantiate: (Owner) => Reflect.construct(Owner, []) as object,
    });
  const kernel = createKernel({ dispatcher, controllerOf, log, around });
  const request = new HttpRequest({
    method: 'GET',
    target: plan.path,
    rawHeaders: ['Host', 'localhost'],
    httpVersion: '1.1',
    peer: { address: '127.0.0.1', port: 1, encrypted: false },
  });
  const handled = kernel.handle(request);
  const isAsync = handled instanceof Promise;
  const response = await handled;
  await kernel.terminate(request, response, {
    status: response.status,
    headers: [],
    bodyBytes: 0,
    completed: true,
  });
  return {
    status: response.status,
    body: response.body,
    headers: [...response.headers].flat(),
    trace,
    isAsync,
  };
}

const deed = fc.record({
  does: fc.oneof(
    { weight: 5, arbitrary: fc.constant('pass' as const) },
    { weight: 1, arbitrary: fc.constant('answer' as const) },
    { weight: 1, arbitrary: fc.constant('throw' as const) },
  ),
  isAsync: fc.boolean(),
});

const anyPlan: fc.Arbitrary<Plan> = fc.record({
  listeners: fc.array(
    fc
      .tuple(
        deed,
        fc.constantFrom(...(Object.keys(stages) as Stage[])),
        fc.integer({ min: -2000, max: 2000 }),
      ) // its own keys
      .map(([one, stage, priority]) => ({ ...one, stage, priority })),
    { maxLength: 6 },
  ),
  layers: fc.array(deed, { maxLength: 2 }),
  controller: fc
    .tuple(deed, fc.constantFrom('text' as const, 'response' as const, 'nothing' as const))
    .map(([one, gives]) => ({ ...one, gives })),
  path: fc.constantFrom('/known', '/known', '/missing'),
});

function atOnce(plan: Plan): Plan {
  const now = <One extends Deed>(one: One): One => ({ ...one, isAsync: false });
  return {
    ...plan,
    listeners: plan.listeners.map(now),
    layers: plan.layers.map(now),
    controller: now(plan.controller),
  };
}

describe("a request's stages", () => {
  it('give the same result whether their participants are synchronous, asynchronous or mixed', async () => {
    await fc.assert(
      fc.asyncProperty(anyPlan, async (plan) => {
        const { isAsync: _mixed, ...mixed } = await play(plan);
        const { isAsync, ...plain } = await play(atOnce(plan));
        assert.deepEqual(mixed, plain);
        if (plan.layers.every(({ does }) => does !== 'pass')) assert.equal(isAsync, false);
      }),
      { numRuns: 500 },
    );
  });

  it('always end in a response that passed the response stage once, and in finish and terminate', async () => {
    await fc.assert(
      fc.asyncProperty(anyPlan, async (plan) => {
        const watched: Plan = {
          ...plan,
          listeners: [
            ...plan.listeners,
            { stage: 'finish', priority: 9000, does: 'pass', isAsync: false },
            { stage: 'terminate', priority: 9000, does: 'pass', isAsync: false },
            { stage: 'response', priority: 9000, does: 'pass', isAsync: false },
          ],
        };
        const { status, trace } = await play(watched);
        assert.ok(status === 200 || status === 500);
        const at = (name: string): number[] => trace.flatMap((one, index) => (one === name ? [index] : []));
        const [finish, terminate] = [plan.listeners.length, plan.listeners.length + 1];
        assert.equal(at(`finish ${finish}`).length, 1);
        assert.equal(at(`terminate ${terminate}`).length, 1);
        assert.ok((at(`finish ${finish}`)[0] ?? 0) < (at(`terminate ${terminate}`)[0] ?? 0));
        const passed = at(`response ${plan.listeners.length + 2}`).length;
        const isRepeated = plan.listeners.some(({ stage, does }) => stage === 'response' && does === 'throw');
        assert.ok(passed === 1 || (passed === 2 && isRepeated), `passed the response stage ${passed} times`);
        // A listener that threw also sees the error's response: at most two calls.
        for (const [number, { stage }] of plan.listeners.entries())
          assert.ok(
            at(`${stage} ${number}`).length <= (stage === 'response' || stage === 'exception' ? 2 : 1),
          );
        assert.ok(at('the controller').length <= 1);
      }),
      { numRuns: 300 },
    );
  });

  it('notify all final listeners, even if one throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 1, maxLength: 5 }), async (deeds) => {
        const listeners = deeds.map((one, at) => ({ ...one, stage: 'terminate' as const, priority: -at }));
        const { trace } = await play({
          listeners,
          layers: [],
          controller: { does: 'pass', isAsync: false, gives: 'text' },
          path: '/known',
        });
        for (const at of deeds.keys())
          assert.equal(trace.filter((one) => one === `terminate ${at}`).length, 1);
      }),
    );
  });
});

describe('ARCHITECTURE.md', () => {
  const page = readFileSync(new URL('../../../../ARCHITECTURE.md', import.meta.url), 'utf8');
  const [, table = ''] = /^## The stages of a request$([^]*?)^## /m.exec(page) ?? [];
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const quoted = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

  it('lists the stages in the order they run', () => {
    const listed = rows.flatMap((row) => quoted(row.split('|')[1]));
    assert.deepEqual(
      listed,
      requestPath.stages.map(({ name }) => name),
    );
  });

  it("lists a stage's listeners in priority order", () => {
    for (const stage of ['request', 'response'] as const) {
      const row = rows.find((one) => one.startsWith(`| \`${stage}\` |`)) ?? '';
      const priorities = new Map<string, number>(Object.entries(kernelPriority[stage]));
      const listed = quoted(row.split('|')[4]).filter((name) => name !== 'routingOutcome');
      assert.ok(listed.length > 5, stage);
      const found = listed.map((name) => priorities.get(name) ?? assert.fail(name));
      assert.deepEqual(
        found,
        found.toSorted((a, b) => b - a),
        stage,
      );
    }
  });
});

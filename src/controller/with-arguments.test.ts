import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attributesOf } from '#attributes';
import { fromWebRequest, type HttpRequest } from '#http';
import { routeParameter } from './resolvers/parameter-resolvers.js';
import { currentRequest } from './resolvers/request-resolvers.js';
import { toInteger } from './resolvers/text-converters.js';
import { controllerArguments, withArguments } from './with-arguments.js';

function get(url: string, init?: RequestInit): HttpRequest {
  return fromWebRequest(new Request(`http://a.example${url}`, init));
}

describe('withArguments', () => {
  it('declares the arguments on the function', () => {
    const resolvers = [routeParameter('id', toInteger), currentRequest()] as const;
    const controller = withArguments(resolvers, (id, request) => `${id + 1} ${request.method}`);
    assert.deepEqual(attributesOf(controllerArguments, controller), [resolvers]);
    assert.equal(controller(1, get('/')), '2 GET');
  });
});

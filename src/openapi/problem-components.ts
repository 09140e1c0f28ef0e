import { statusText } from '#errors';
import type { JsonSchema, OpenApiResponse } from './open-api-document.js';

/** Schemas of the body of every error: a problem document (RFC 9457) with its violations. */
export const problemSchemas: Readonly<Record<'Problem' | 'Violation', JsonSchema>> = {
  Problem: {
    type: 'object',
    description: 'A problem document (RFC 9457) that describes the error.',
    required: ['type', 'title', 'status'],
    properties: {
      type: { type: 'string', format: 'uri-reference' },
      title: { type: 'string', description: 'The reason phrase of the status.' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: { type: 'string', description: 'What went wrong in this request, for people.' },
      code: { type: 'string', description: 'The reason of a failed login, for programs.' },
      violations: { type: 'array', items: { $ref: '#/components/schemas/Violation' } },
    },
  },
  Violation: {
    type: 'object',
    description: 'One fault of the request.',
    required: ['path', 'message', 'code'],
    properties: {
      path: { type: 'string', description: 'The place: `items[0].price`; empty for the whole input.' },
      message: { type: 'string' },
      code: { type: 'string', description: 'The name of the broken rule, for programs.' },
      in: { type: 'string', enum: ['path', 'query', 'header', 'body'] },
    },
  },
};

/** Returns the response for an error status, with its description. */
export function problemResponse(description: string): OpenApiResponse {
  const schema = { $ref: '#/components/schemas/Problem' };
  return { description, content: { 'application/problem+json': { schema } } };
}

/** Returns the name of the component with the response for a status: `UnprocessableContent`. */
export function responseName(status: number | 'default'): string {
  return status === 'default' ? 'Problem' : statusText(status).replaceAll(/[^A-Za-z]/g, '');
}

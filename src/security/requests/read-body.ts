import { type HttpRequest, isJsonType } from '#http';

const formTypes: ReadonlySet<string> = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);

/** Returns whether the content type is that of a form. */
export function hasForm(request: HttpRequest): boolean {
  return formTypes.has(essenceOf(request));
}

/** Returns whether the content type is JSON, which forms of other sites cannot send. */
export function hasJson(request: HttpRequest): boolean {
  try {
    return request.mediaType !== undefined && isJsonType(request.mediaType);
  } catch {
    return false;
  }
}

/** Returns a text field of a form body; undefined if the body is not a form or has no such field. */
export async function readBodyField(request: HttpRequest, name: string): Promise<string | undefined> {
  return hasForm(request) ? (await request.form()).get(name) : undefined;
}

function essenceOf(request: HttpRequest): string {
  try {
    return request.mediaType?.essence ?? '';
  } catch {
    return ''; // an invalid content type, which is refused when the body is read
  }
}

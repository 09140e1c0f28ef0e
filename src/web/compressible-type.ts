const compressibleEssence =
  /^(?:text\/[^;]+|application\/(?:[^;]+\+(?:json|xml|text)|json|ld\+json|x-ndjson|xml|javascript|ecmascript|wasm|rtf|manifest\+json|vnd\.ms-fontobject|x-tar)|image\/(?:svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)|font\/(?:ttf|otf|collection))$/;

/** Whether content of a type benefits from compression. Images, videos and archives are already compressed. */
export function isCompressibleType(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  const [essence = ''] = contentType.split(';', 1);
  return compressibleEssence.test(essence.trim().toLowerCase());
}

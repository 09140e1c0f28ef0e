import type { Picture } from '#dump';

/** Characters of JSON syntax and keys per picture and per entry. */
const baseWeights = { picture: 44, entry: 52 } as const;

/** Estimates the length of a picture as JSON, in characters. */
export function pictureWeight({ text, entries }: Picture): number {
  let weight = baseWeights.picture + (text?.length ?? 0);
  if (entries === undefined) return weight;
  for (const { key, keyPicture, value } of entries) {
    weight += baseWeights.entry + key.length + pictureWeight(value);
    if (keyPicture !== undefined) weight += pictureWeight(keyPicture);
  }
  return weight;
}

import type { Picture } from '#dump';

/** What JSON needs around a picture, and around an entry. */
const baseWeights = { picture: 44, entry: 52 } as const;

/** Characters that a picture takes as JSON, roughly. */
export function pictureWeight({ text, entries }: Picture): number {
  let weight = baseWeights.picture + (text?.length ?? 0);
  if (entries === undefined) return weight;
  for (const { key, keyPicture, value } of entries) {
    weight += baseWeights.entry + key.length + pictureWeight(value);
    if (keyPicture !== undefined) weight += pictureWeight(keyPicture);
  }
  return weight;
}

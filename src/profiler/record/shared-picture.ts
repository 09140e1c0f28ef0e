import type { Picture } from '#dump';
import { weighPicture } from './picture-tape.js';

/** A picture that many records have: of something that cannot change, taken once. */
export class SharedPicture {
  readonly picture: Picture;
  /** See `weighPicture`. */
  readonly weight: number;

  constructor(picture: Picture) {
    this.picture = picture;
    this.weight = weighPicture(picture);
  }
}

// Loaded into each test process: property tests draw the same cases in every run, so that results depend only on the change.
// PROPERTY_SEED=random (or a number) draws others; a failure prints its seed.
import fc from 'fast-check';

const asked = process.env.PROPERTY_SEED;
if (asked !== 'random')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: asked === undefined ? 20_261_121 : Number(asked) });

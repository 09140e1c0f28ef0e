// A process whose clock is a year ahead, its threads too.
'use strict';
const real = Date.now;
Date.now = () => real() + 365 * 86_400_000;

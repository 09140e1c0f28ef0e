// A process whose clock jumps by LOOKBACK_TEST_CLOCK_DAYS a moment after its start, in its threads too.
'use strict';
const real = Date.now;
const days = Number(process.env.LOOKBACK_TEST_CLOCK_DAYS ?? 0);
Date.now = () => real() + (performance.now() > 600 ? days * 86_400_000 : 0);

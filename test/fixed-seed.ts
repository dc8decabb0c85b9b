import fc from 'fast-check'

/** Property tests run the same cases each time, so that a change is what turns them red; `npm run fuzz` looks for new cases. */
fc.configureGlobal({ seed: Number(process.env['VERIDICT_TEST_SEED'] ?? 20_261_121) })

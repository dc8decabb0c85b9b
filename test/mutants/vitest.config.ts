import { defineConfig } from 'vitest/config'

/** Lists the tests of the gate, which `npm run mutants` runs against every mutant. */
const GATE = [
  'test/domain/{acts,anchors,evidence,gate}.test.ts',
  'test/domain/{quotes,sights,surface-discovery,text,weak-anchors}.test.ts',
  'test/domain/shell/tables.test.ts',
]

export default defineConfig({
  test: {
    include: GATE,
    setupFiles: ['test/fixed-seed.ts', 'test/own-temp-folder.ts'],
    testTimeout: 60_000,
    isolate: false,
  },
})

import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/fixed-seed.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    unstubEnvs: true,
    // A shared machine may stand still for seconds. A test that passed only in its second try is marked "(retry x1)" in what is printed.
    retry: process.env['CI'] === undefined ? 0 : 1,
  },
})
